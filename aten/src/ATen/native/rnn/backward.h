#pragma once
// Derivatives of recurrent layers.

#include <torch/csrc/autograd/function.h>

#include <array>
#include <tuple>
#include <vector>

namespace torch::autograd::generated {

// The derivative of mkldnn_rnn_layer: the gradients of input, the four weights, and the two states.
// If the result is to be differentiated again, it is computed by operators that have derivatives.
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> lstm_layer_backward(
    const variable_list& grads, const Tensor& input, const Tensor& w_ih, const Tensor& w_hh,
    const Tensor& b_ih, const Tensor& b_hh, const Tensor& hx, const Tensor& cx,
    const Tensor& output, const Tensor& hy, const Tensor& cy, bool reverse, int64_t mode,
    int64_t hidden_size, bool has_biases, bool batch_first, const Tensor& workspace);

// The derivative of _cudnn_rnn: the gradients of input, hx, cx and the weights.
std::tuple<Tensor, Tensor, Tensor, std::vector<Tensor>> cudnn_rnn_gradients(
    const variable_list& grads, const Tensor& input, at::TensorList weight, int64_t weight_stride0,
    const Tensor& weight_buf, const Tensor& hx, const Tensor& cx, const Tensor& output,
    int64_t mode, int64_t hidden_size, int64_t proj_size, int64_t num_layers, bool batch_first,
    double dropout, bool train, bool bidirectional, at::IntArrayRef batch_sizes,
    const Tensor& dropout_state, const Tensor& reserve, std::array<bool, 4> mask);
// Raise an error that says how to compute second derivatives.
[[noreturn]] Tensor no_derivative_of_cudnn_rnn();
[[noreturn]] std::vector<Tensor> no_derivatives_of_cudnn_rnn();

}  // namespace torch::autograd::generated
