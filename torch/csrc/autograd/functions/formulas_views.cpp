#include <torch/csrc/autograd/functions/formulas_views.h>

#include <ATen/ops/cat.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/slice_backward.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/functions/view_functions.h>

namespace torch::autograd::generated {

using at::DimVector;

Tensor as_strided_grad(const Tensor& grad, IntArrayRef self_sizes, IntArrayRef self_strides,
                       int64_t self_offset, IntArrayRef size, IntArrayRef stride,
                       std::optional<int64_t> storage_offset) {
  return as_strided_backward(grad, Geometry(self_sizes, self_strides, self_offset),
                             Geometry(size, stride, storage_offset.value_or(self_offset)));
}

Tensor permute_backward(const Tensor& grad, IntArrayRef dims) {
  int64_t rank = static_cast<int64_t>(dims.size());
  DimVector inverse(rank);
  for (int64_t d = 0; d < rank; ++d) inverse[at::maybe_wrap_dim(dims[d], rank)] = d;
  return at::permute(grad, inverse);
}

Tensor slice_grad(const Tensor& grad, IntArrayRef sizes, int64_t dim, std::optional<int64_t> start,
                  std::optional<int64_t> end, int64_t step) {
  return at::slice_backward(grad, sizes, dim, start.value_or(0), end.value_or(INT64_MAX), step);
}

Tensor unbind_backward(const variable_list& grads, int64_t dim, IntArrayRef sizes,
                       const TensorOptions& options) {
  DimVector piece(sizes);
  piece.erase(piece.begin() + at::maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size())));
  variable_list all(grads);
  for (Tensor& g : all) {
    if (!g.defined()) g = at::zeros(piece, options);
  }
  return at::stack(all, dim);
}

Tensor split_with_sizes_backward(const variable_list& grads, IntArrayRef split_sizes, int64_t dim,
                                 IntArrayRef sizes, const TensorOptions& options) {
  dim = at::maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size()));
  variable_list all(grads);
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k].defined()) continue;
    DimVector piece(sizes);
    piece[dim] = split_sizes[k];
    all[k] = at::zeros(piece, options);
  }
  return at::cat(all, dim);
}

Tensor split_backward(const variable_list& grads, int64_t split_size, int64_t dim,
                      IntArrayRef sizes, const TensorOptions& options) {
  int64_t size = sizes[at::maybe_wrap_dim(dim, static_cast<int64_t>(sizes.size()))];
  std::vector<int64_t> split_sizes(grads.size(), split_size);
  if (!split_sizes.empty())
    split_sizes.back() = size - split_size * (static_cast<int64_t>(grads.size()) - 1);
  return split_with_sizes_backward(grads, split_sizes, dim, sizes, options);
}

}  // namespace torch::autograd::generated
