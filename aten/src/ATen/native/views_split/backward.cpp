// Derivatives of splits.

#include <ATen/native/views_split/backward.h>

#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/functions/view_functions.h>

namespace torch::autograd::generated {

using at::DimVector;

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
