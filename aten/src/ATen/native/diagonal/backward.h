#pragma once
// The derivative of trace.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;

Tensor trace_grad(const Tensor& grad, IntArrayRef sizes);

// The gradient without what fill_diagonal_ overwrote.
Tensor fill_diagonal_gradient(const Tensor& grad, bool wrap);

}  // namespace torch::autograd::generated
