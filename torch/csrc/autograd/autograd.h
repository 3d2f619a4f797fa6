#pragma once
// torch::autograd::backward and grad: the gradients of tensors, as torch.autograd gives them.

#include <optional>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

// Adds the gradients of `tensors` to the .grad of the leaves, or of `inputs` alone. `grad_tensors`:
// what flows into each; may be left out for tensors of one element. The graph is freed unless
// retain_graph (by default what create_graph says).
void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
              const variable_list& inputs = {});

// The gradients of the sum of `outputs` with respect to each of `inputs`; no .grad changes. Throws
// for an input that the outputs do not depend on, or gives an undefined tensor with allow_unused.
variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                   bool allow_unused = false);

}  // namespace torch::autograd
