#pragma once
// The derivative of the pseudoinverse.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

Tensor pinv_backward(const Tensor& grad, const Tensor& P, const Tensor& A);

}  // namespace torch::autograd::generated
