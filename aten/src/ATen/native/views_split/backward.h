#pragma once
// Derivatives of splits.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::TensorOptions;

using at::IntArrayRef;

// Missing gradients of pieces count as zeros.
Tensor unbind_backward(const variable_list& grads, int64_t dim, IntArrayRef sizes,
                       const TensorOptions& options);
Tensor split_backward(const variable_list& grads, int64_t split_size, int64_t dim,
                      IntArrayRef sizes, const TensorOptions& options);
Tensor split_with_sizes_backward(const variable_list& grads, IntArrayRef split_sizes, int64_t dim,
                                 IntArrayRef sizes, const TensorOptions& options);

}  // namespace torch::autograd::generated
