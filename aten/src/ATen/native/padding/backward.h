#pragma once
// The derivatives of constant and circular padding.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;

Tensor constant_pad_nd_backward(const Tensor& grad, IntArrayRef pad);
Tensor pad_circular_backward(const Tensor& grad, IntArrayRef pad);

}  // namespace torch::autograd::generated
