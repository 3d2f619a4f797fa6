// torch::autograd::Function: functions with a derivative, defined in C++.

#include <torch/csrc/autograd/custom_function.h>

#include <ATen/ops/detach.h>
#include <ATen/ops/view_as.h>
#include <c10/util/Exception.h>

namespace torch::autograd {

void AutogradContext::mark(Marked& into, const variable_list& tensors) {
  for (const Tensor& t : tensors) into.insert(t.unsafeGetTensorImpl());
}

variable_list AutogradContext::get_saved_variables() const {
  if (released_) throw_backward_twice();
  return unpack_list(saved_, node_);
}

CustomNode::CustomNode(const char* name, Backward backward, std::vector<bool> is_tensor)
    : name_(name), backward_(backward), is_tensor_(std::move(is_tensor)) {
  context.node_ = this;
}

void CustomNode::release_variables() {
  context.saved_.clear();
  context.saved_data.clear();
  context.released_ = true;
}

variable_list CustomNode::apply(variable_list&& grads) {
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i].defined() && context.materialize_grads_ && i < num_inputs() &&
        input_metadata(i).defined()) {
      grads[i] = input_metadata(i).zeros_like();
    }
  }
  variable_list given = backward_(&context, std::move(grads)), gradients;
  TORCH_CHECK(given.size() >= is_tensor_.size(), "function ", name(),
              " returned an incorrect number of gradients (expected ", is_tensor_.size(), ", got ",
              given.size(), ")");
  for (size_t i = 0; i < given.size(); ++i) {
    bool tensor = i < is_tensor_.size() && is_tensor_[i];
    TORCH_CHECK(tensor || !given[i].defined(), "function ", name(),
                " returned a gradient different from an undefined tensor at position ", i + 1,
                ", but the corresponding forward input was not a Tensor");
    if (tensor) gradients.push_back(std::move(given[i]));
  }
  return gradients;
}

void CustomNode::finish(variable_list& outputs, const variable_list& inputs, bool executable) {
  auto self = c10::intrusive_ptr<Node>::reclaim_copy(this);
  auto is_input = [&](const Tensor& t) {
    for (const Tensor& in : inputs) {
      if (in.unsafeGetTensorImpl() == t.unsafeGetTensorImpl()) return true;
    }
    return false;
  };
  for (Tensor& out : outputs) {
    if (!out.defined()) {
      if (executable) add_undefined_input();
      continue;
    }
    bool dirty = context.dirty_.count(out.unsafeGetTensorImpl());
    bool differentiable = executable &&
                          !context.non_differentiable_.count(out.unsafeGetTensorImpl()) &&
                          (out.is_floating_point() || out.is_complex());
    if (is_input(out) && !dirty) {
      c10::AutoGradMode without(false);
      out = at::detach(
          at::view_as(out, out));  // an argument given back as it is becomes a tensor of its own
    }
    if (!differentiable) {
      if (executable) add_input_metadata(out);  // backward gets zeros for it
    } else if (dirty) {
      rebase_history(out, self);
    } else {
      if (out.requires_grad()) out = detach_shallow(out);
      set_history(out, self);
    }
  }
  if (executable) {
    for (const Tensor& t : context.to_save_) {
      auto* meta = get_autograd_meta(t);
      context.saved_.emplace_back(t, meta && meta->grad_fn.get() == this);
    }
  }
  context.to_save_.clear();
}

}  // namespace torch::autograd
