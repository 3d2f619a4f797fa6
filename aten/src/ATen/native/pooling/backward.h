#pragma once
// The double derivative of max pooling.

#include <torch/csrc/autograd/function.h>

#include <array>
#include <tuple>

namespace torch::autograd::generated {

inline at::IntArrayRef last_three(at::IntArrayRef sizes) { return sizes.slice(sizes.size() - 3); }

// The elements of planes (the last n dimensions) selected by indices.
Tensor max_pool_double_backward(const Tensor& grad, const Tensor& indices, int64_t n);

}  // namespace torch::autograd::generated
