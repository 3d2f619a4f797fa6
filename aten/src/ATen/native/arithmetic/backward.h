#pragma once
// Derivatives of division.

#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

Tensor div_self_backward(const Tensor& grad, const Tensor& other);
Tensor div_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other);
Tensor div_mode_self_backward(const Tensor& grad, const Tensor& other,
                              std::optional<std::string_view> mode);
Tensor div_mode_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                               std::optional<std::string_view> mode);

}  // namespace torch::autograd::generated
