#pragma once
// Derivatives of special functions.

#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

constexpr double sqrt_of_pi = 1.77245385090551602730;
// The order of polygamma's derivative. The largest order stays: its results overflow anyway.
inline int64_t order_above(int64_t n) { return n == INT64_MAX ? n : n + 1; }
Tensor sinc_backward(const Tensor& grad, const Tensor& self);
Tensor logit_second_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                             std::optional<double> eps);

}  // namespace torch::autograd::generated
