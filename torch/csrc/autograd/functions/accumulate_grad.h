#pragma once
// The end of a backward path: adds the gradient that arrives to a leaf's .grad.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

struct AccumulateGrad final : Node {
  explicit AccumulateGrad(Tensor variable);
  variable_list apply(variable_list&& grads) override;
  const char* name() const override { return "torch::autograd::AccumulateGrad"; }
  Tensor variable;

 private:
  void release_resources() override {
    Node::release_resources();
    variable.reset();
  }
};

// Whether the first gradient of a dense leaf gets the leaf's strides. If not, it keeps its own. For
// this thread.
bool is_grad_layout_enforced();
void set_grad_layout_enforced(bool enforced);

// grad + more, in place where nobody else holds `grad` and no graph is wanted.
Tensor add_gradients(Tensor grad, const Tensor& more);

}  // namespace torch::autograd
