#pragma once
// Derivatives of elementwise operators that are more than one expression.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::Scalar;

}  // namespace torch::autograd::generated
