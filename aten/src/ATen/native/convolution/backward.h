#pragma once
// Derivatives of convolutions.

#include <torch/csrc/autograd/function.h>

#include <array>
#include <tuple>

namespace torch::autograd::generated {

// The gradients of convolution_backward's results with respect to grad_output, input and weight.
std::tuple<Tensor, Tensor, Tensor> convolution_double_backward(
    const variable_list& grads, const Tensor& grad_output, const Tensor& input,
    const Tensor& weight, at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
    bool transposed, at::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> mask);
inline at::IntArrayRef last_two(at::IntArrayRef sizes) { return sizes.slice(sizes.size() - 2); }

}  // namespace torch::autograd::generated
