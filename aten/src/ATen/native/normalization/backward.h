#pragma once
// Second derivatives of normalizations, and the first ones of rms_norm.

#include <torch/csrc/autograd/function.h>

#include <array>
#include <tuple>

namespace torch::autograd::generated {

// The gradients of input and weight, given those of the result and of rstd; either may be
// undefined. It can be differentiated again.
std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& grad, const Tensor& grad_rstd,
                                             const Tensor& input, at::IntArrayRef normalized_shape,
                                             const Tensor& rstd, const Tensor& weight,
                                             std::array<bool, 2> mask);

// The gradients of a normalization's backward with respect to grad_out, input and weight, given
// those of its results.
std::tuple<Tensor, Tensor, Tensor> batchnorm_double_backward(
    const variable_list& grads, const Tensor& input, const Tensor& weight, const Tensor& grad_out,
    const Tensor& running_mean, const Tensor& running_var, bool train, double eps,
    const Tensor& save_mean, const Tensor& save_invstd, std::array<bool, 3> mask);
std::tuple<Tensor, Tensor, Tensor> layer_norm_double_backward(
    const variable_list& grads, const Tensor& input, const Tensor& weight, const Tensor& grad_out,
    const Tensor& mean, const Tensor& rstd, at::IntArrayRef normalized_shape,
    std::array<bool, 3> mask);
std::tuple<Tensor, Tensor, Tensor> group_norm_double_backward(
    const variable_list& grads, const Tensor& input, const Tensor& weight, const Tensor& grad_out,
    const Tensor& mean, const Tensor& rstd, int64_t group, std::array<bool, 3> mask);

}  // namespace torch::autograd::generated
