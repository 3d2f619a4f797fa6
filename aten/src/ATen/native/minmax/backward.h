#pragma once
// Derivatives of extremes: equal elements share the gradient.

#include <optional>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;

Tensor extreme_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                        IntArrayRef dim, bool keepdim);
Tensor aminmax_backward(const variable_list& grads, const Tensor& self, const Tensor& min,
                        const Tensor& max, std::optional<int64_t> dim, bool keepdim);

}  // namespace torch::autograd::generated
