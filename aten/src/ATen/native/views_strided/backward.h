#pragma once
// Derivatives of views by strides.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;

Tensor as_strided_grad(const Tensor& grad, IntArrayRef self_sizes, IntArrayRef self_strides,
                       int64_t self_offset, IntArrayRef size, IntArrayRef stride,
                       std::optional<int64_t> storage_offset);
Tensor permute_backward(const Tensor& grad, IntArrayRef dims);
Tensor slice_grad(const Tensor& grad, IntArrayRef sizes, int64_t dim, std::optional<int64_t> start,
                  std::optional<int64_t> end, int64_t step);

}  // namespace torch::autograd::generated
