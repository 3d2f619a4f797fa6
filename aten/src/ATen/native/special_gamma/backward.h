#pragma once
// Derivatives of the incomplete gamma functions.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

// The derivative of igamma with respect to its second argument.
Tensor igamma_density(const Tensor& a, const Tensor& x);
// Throws: the derivative of an operator with respect to this argument is not known.
Tensor no_derivative(const char* op, const char* argument);

}  // namespace torch::autograd::generated
