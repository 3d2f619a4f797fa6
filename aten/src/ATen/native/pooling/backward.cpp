// The double derivative of max pooling.

#include <ATen/native/pooling/backward.h>

#include <ATen/ops/flatten.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/view.h>

namespace torch::autograd::generated {

Tensor max_pool_double_backward(const Tensor& grad, const Tensor& indices, int64_t n) {
  Tensor planes = at::flatten(grad, -n, -1), flat_indices = at::flatten(indices, -n, -1);
  return at::view(at::gather(planes, -1, flat_indices), indices.sizes());
}

}  // namespace torch::autograd::generated
