#pragma once
// The derivative of trace.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;

Tensor trace_grad(const Tensor& grad, IntArrayRef sizes);

}  // namespace torch::autograd::generated
