#pragma once
// Derivatives of variances and standard deviations.

#include <optional>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::OptionalIntArrayRef;

using at::Scalar;

Tensor var_backward(const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim);
Tensor std_backward(const Tensor& result, const Tensor& grad, const Tensor& self,
                    OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim);
Tensor var_mean_backward(const variable_list& grads, const Tensor& self, OptionalIntArrayRef dim,
                         const std::optional<Scalar>& correction, bool keepdim);
Tensor std_mean_backward(const variable_list& grads, const Tensor& std, const Tensor& self,
                         OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
                         bool keepdim);

}  // namespace torch::autograd::generated
