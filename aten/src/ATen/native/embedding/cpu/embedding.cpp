// The gradient of embedding, in the order of the indices.

#include <ATen/native/embedding/embedding.h>
#include <ATen/ops/index_add_ops.h>

namespace at::native {

static void embedding_gradient_kernel(const Tensor& grad, const Tensor& rows,
                                      const Tensor& result) {
  Tensor to = result;
  at::_ops::index_add_::call(to, 0, rows, grad, 1);
}
REGISTER_ALL_CPU_DISPATCH(embedding_gradient_stub, &embedding_gradient_kernel)

}  // namespace at::native
