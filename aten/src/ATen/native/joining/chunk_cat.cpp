// _chunk_cat: tensors cut into equally many chunks, and the k-th chunks of all joined. And stack
// under its internal name.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_chunk_cat_native.h>
#include <ATen/ops/_stack_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/stack.h>

namespace at::native {

Tensor _stack(TensorList tensors, int64_t dim) { return at::stack(tensors, dim); }

Tensor _chunk_cat(TensorList tensors, int64_t dim, int64_t num_chunks) {
  const char* op = "_chunk_cat";
  TORCH_CHECK(!tensors.empty(), op, ": expected a non-empty list of tensors");
  TORCH_CHECK(num_chunks > 0, op, ": num_chunks must be positive, but it is ", num_chunks);
  const Tensor& first = tensors[0];
  dim = maybe_wrap_dim(dim, first.dim(), op);
  std::vector<Tensor> rows;
  for (size_t k = 0; k < tensors.size(); ++k) {
    const Tensor& t = tensors[k];
    TORCH_CHECK(t.scalar_type() == first.scalar_type(), op, ": tensor 0 is ",
                dtypeName(first.scalar_type()), ", but tensor ", k, " is ",
                dtypeName(t.scalar_type()));
    TORCH_CHECK(t.dim() > dim && t.numel() > 0, op, ": tensor ", k,
                " must have elements and a dimension ", dim, ", but its shape is ", t.sizes());
    TORCH_CHECK(t.sizes().slice(0, dim) == first.sizes().slice(0, dim), op,
                ": the sizes before dimension ", dim, " must be those of tensor 0, ", first.sizes(),
                ", but tensor ", k, " has the shape ", t.sizes());
    const int64_t missing = (num_chunks - t.size(dim) % num_chunks) % num_chunks;
    std::vector<int64_t> padding(static_cast<size_t>(2 * (t.dim() - dim)), 0);
    padding.back() = missing;
    std::vector<int64_t> shape(t.sizes().begin(), t.sizes().begin() + dim);
    shape.insert(shape.end(), {num_chunks, -1});
    rows.push_back(at::reshape(missing ? at::constant_pad_nd(t, padding) : t, shape));
  }
  return at::cat(rows, dim + 1);
}

}  // namespace at::native
