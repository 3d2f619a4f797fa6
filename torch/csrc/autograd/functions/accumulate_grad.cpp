// The node that adds a gradient to a leaf's .grad.

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <ATen/ops/add.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/empty_strided.h>
#include <c10/util/Logging.h>
#include <torch/csrc/autograd/graph_log.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

static thread_local bool t_grad_layout_enforced = true;
bool is_grad_layout_enforced() { return t_grad_layout_enforced; }
void set_grad_layout_enforced(bool enforced) { t_grad_layout_enforced = enforced; }

// Runs as soon as its input is there: nothing waits for it, and the gradient can be freed early.
AccumulateGrad::AccumulateGrad(Tensor v) : Node(0, UINT64_MAX), variable(std::move(v)) {
  add_input_metadata(variable);
}

// A tensor whose class answers calls. It may refuse to be changed in place.
static bool is_wrapper(const Tensor& t) { return t.key_set().has(c10::Functionality::Python); }

Tensor add_gradients(Tensor grad, const Tensor& more) {
  if (!c10::GradMode::is_enabled() && grad.use_count() == 1 &&
      grad.is_non_overlapping_and_dense() && grad.scalar_type() == more.scalar_type() &&
      grad.storage().use_count() == 1 &&
      !more.key_set().has(c10::Functionality::FuncTorchBatched) && !is_wrapper(grad) &&
      !is_wrapper(more)) {
    at::_ops::add__Tensor::call(grad, more, 1);
    return grad;
  }
  return at::add(grad, more);
}

variable_list AccumulateGrad::apply(variable_list&& grads) {
  Tensor grad = std::move(grads[0]);
  if (!grad.defined()) return {};
  AutogradMeta& meta = materialize_autograd_meta(variable);
  if (meta.hooks) {
    for (auto& hook : meta.hooks->pre) grad = (*hook)(grad);
    if (!grad.defined()) return {};
  }
  Tensor& into = meta.grad;
  bool keep_graph = c10::GradMode::is_enabled();
  if (c10::log_enabled(c10::LogArtifact::AutogradNodes)) {
    log_accumulated(variable, grad, into.defined() ? "added to what it holds" : "the first one");
  }
  if (!into.defined()) {
    bool same_layout = (grad.strides() == variable.strides() && grad.sizes() == variable.sizes()) ||
                       (!t_grad_layout_enforced && grad.is_non_overlapping_and_dense());
    if (!keep_graph && same_layout && grad.use_count() == 1 && grad.storage().use_count() == 1) {
      // Nobody else holds it, so it can be stored without a copy.
      into = grad.unsafeGetTensorImpl()->autograd_meta() ? detach_shallow(grad) : std::move(grad);
    } else if (!keep_graph && variable.is_non_overlapping_and_dense() && !is_wrapper(grad) &&
               t_grad_layout_enforced) {
      into = at::empty_strided(variable.sizes(), variable.strides(), grad.options());
      at::_ops::copy_::call(into, grad, false);
    } else {
      into = at::clone(grad);
    }
  } else if (!keep_graph && !is_wrapper(into) && !is_wrapper(grad)) {
    at::_ops::add__Tensor::call(into, grad, 1);
  } else {
    into = at::add(into, grad);
  }
  if (meta.hooks) {
    for (auto& hook : meta.hooks->post_accumulate) (*hook)(variable);
  }
  return {};
}

}  // namespace torch::autograd
