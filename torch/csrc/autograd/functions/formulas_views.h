#pragma once
// Derivatives of views that are more than one expression.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;
using at::TensorOptions;

Tensor as_strided_grad(const Tensor& grad, IntArrayRef self_sizes, IntArrayRef self_strides,
                       int64_t self_offset, IntArrayRef size, IntArrayRef stride,
                       std::optional<int64_t> storage_offset);
Tensor permute_backward(const Tensor& grad, IntArrayRef dims);
Tensor slice_grad(const Tensor& grad, IntArrayRef sizes, int64_t dim, std::optional<int64_t> start,
                  std::optional<int64_t> end, int64_t step);
// Missing gradients of some pieces count as zeros.
Tensor unbind_backward(const variable_list& grads, int64_t dim, IntArrayRef sizes,
                       const TensorOptions& options);
Tensor split_backward(const variable_list& grads, int64_t split_size, int64_t dim,
                      IntArrayRef sizes, const TensorOptions& options);
Tensor split_with_sizes_backward(const variable_list& grads, IntArrayRef split_sizes, int64_t dim,
                                 IntArrayRef sizes, const TensorOptions& options);

}  // namespace torch::autograd::generated
