#pragma once
// The derivative of repeat.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;

Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef self_sizes);

}  // namespace torch::autograd::generated
