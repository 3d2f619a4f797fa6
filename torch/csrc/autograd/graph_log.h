#pragma once
// Lines of TORCH_LOGS=+autograd: nodes made and run, gradients accumulated. Call where the switch
// is on only.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

void log_node_made(const Node& node, const Tensor& result);
void log_node_run(const Node& node, const variable_list& grads);
void log_accumulated(const Tensor& variable, const Tensor& grad, const char* how);

}  // namespace torch::autograd
