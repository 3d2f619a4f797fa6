// torch::autograd::backward and grad for C++ programs.

#include <torch/csrc/autograd/autograd.h>

#include <ATen/ops/ones_like.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

namespace {

std::vector<Edge> roots_of(const variable_list& outputs) {
  std::vector<Edge> roots;
  for (size_t i = 0; i < outputs.size(); ++i) {
    TORCH_CHECK(outputs[i].defined() && requires_grad(outputs[i]), "element ", i,
                " of tensors does not require grad and does not have a grad_fn");
    roots.push_back(gradient_edge(outputs[i]));
  }
  return roots;
}

variable_list gradients_into(const variable_list& outputs, const variable_list& given) {
  TORCH_CHECK(given.empty() || given.size() == outputs.size(), "got ", outputs.size(),
              " tensors and ", given.size(), " gradients");
  variable_list gradients;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& out = outputs[i];
    if (i < given.size() && given[i].defined()) {
      TORCH_CHECK(given[i].sizes() == out.sizes(), "Mismatch in shape: grad_output[", i,
                  "] has a shape of ", given[i].sizes(), " and output[", i, "] has a shape of ",
                  out.sizes());
      gradients.push_back(given[i]);
      continue;
    }
    TORCH_CHECK(out.numel() == 1,
                "grad can be implicitly created only for scalar outputs, got a tensor of sizes ",
                out.sizes());
    gradients.push_back(at::ones_like(out));
  }
  return gradients;
}

std::vector<Edge> edges_of(const variable_list& inputs, bool accumulate) {
  std::vector<Edge> edges;
  for (const Tensor& t : inputs) {
    TORCH_CHECK(t.defined() && requires_grad(t),
                "One of the differentiated Tensors does not require grad");
    if (accumulate && !t.is_leaf()) retain_grad(t);
    edges.push_back(gradient_edge(t));
  }
  return edges;
}

}  // namespace

void backward(const variable_list& tensors, const variable_list& grad_tensors,
              std::optional<bool> retain_graph, bool create_graph, const variable_list& inputs) {
  std::vector<Edge> roots = roots_of(tensors);
  Engine::execute(roots, gradients_into(tensors, grad_tensors), retain_graph.value_or(create_graph),
                  create_graph, edges_of(inputs, true), !inputs.empty());
}

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs, std::optional<bool> retain_graph,
                   bool create_graph, bool allow_unused) {
  TORCH_CHECK(!inputs.empty(), "grad requires non-empty inputs.");
  std::vector<Edge> roots = roots_of(outputs);
  variable_list found =
      Engine::execute(roots, gradients_into(outputs, grad_outputs),
                      retain_graph.value_or(create_graph), create_graph, edges_of(inputs, false));
  for (size_t i = 0; i < found.size(); ++i) {
    TORCH_CHECK(found[i].defined() || allow_unused, "element ", i,
                " of inputs: One of the differentiated Tensors appears to not have been used in "
                "the graph. Set allow_unused=True if this is the desired behavior.");
  }
  return found;
}

}  // namespace torch::autograd
