#pragma once
// The derivative of roll.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;

Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims);

}  // namespace torch::autograd::generated
