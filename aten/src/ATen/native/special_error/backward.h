#pragma once
// Constants and derivatives of the normal distribution and of entropies.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

constexpr double sqrt_pi = 1.77245385090551602730;
constexpr double sqrt_half = 0.70710678118654752440;
constexpr double sqrt_two_pi = 2.50662827463100050242;
constexpr double inverse_sqrt_two_pi = 0.39894228040143267794;

Tensor xlog1py_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other);

}  // namespace torch::autograd::generated
