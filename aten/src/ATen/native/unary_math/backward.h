#pragma once
// Derivatives of elementary functions that take several operations.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

// 1 / sqrt(x^2 - 1)
Tensor acosh_slope(const Tensor& x);

}  // namespace torch::autograd::generated
