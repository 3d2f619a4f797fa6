#pragma once
// Derivatives of modified Bessel functions of order 1.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

Tensor i1_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor i1e_backward(const Tensor& grad, const Tensor& self, const Tensor& result);

}  // namespace torch::autograd::generated
