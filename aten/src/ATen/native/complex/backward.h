#pragma once
// Derivatives of functions of complex numbers.

#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& sgn);
Tensor angle_backward(const Tensor& grad, const Tensor& self);
std::tuple<Tensor, Tensor> polar_backward(const Tensor& grad, const Tensor& result);

}  // namespace torch::autograd::generated
