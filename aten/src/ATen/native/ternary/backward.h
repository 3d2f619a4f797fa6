#pragma once
// Derivatives of clamp and lerp.

#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::Scalar;

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
                      const std::optional<Scalar>& max);
Tensor clamp_tensor_backward(const Tensor& grad, const Tensor& self, const Tensor& min,
                             const Tensor& max);
std::tuple<Tensor, Tensor> clamp_bounds_backward(const Tensor& grad, const Tensor& self,
                                                 const Tensor& min, const Tensor& max,
                                                 std::array<bool, 2> mask);
Tensor lerp_scalar_self_backward(const Tensor& grad, const Scalar& weight);

}  // namespace torch::autograd::generated
