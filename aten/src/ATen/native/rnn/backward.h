#pragma once
// Derivatives of recurrent layers.

#include <torch/csrc/autograd/function.h>

#include <tuple>

namespace torch::autograd::generated {

// The derivative of mkldnn_rnn_layer: the gradients of input, the four weights, and the two states.
// If the result is to be differentiated again, it is computed by operators that have derivatives.
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> lstm_layer_backward(
    const variable_list& grads, const Tensor& input, const Tensor& w_ih, const Tensor& w_hh,
    const Tensor& b_ih, const Tensor& b_hh, const Tensor& hx, const Tensor& cx,
    const Tensor& output, const Tensor& hy, const Tensor& cy, bool reverse, int64_t mode,
    int64_t hidden_size, bool has_biases, bool batch_first, const Tensor& workspace);

}  // namespace torch::autograd::generated
