#pragma once
// Derivatives of norms.

#include <optional>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::OptionalIntArrayRef;

using at::Scalar;

Tensor linalg_vector_norm_backward(const Tensor& grad, const Tensor& self, const Scalar& ord,
                                   OptionalIntArrayRef dim, bool keepdim, const Tensor& result);

}  // namespace torch::autograd::generated
