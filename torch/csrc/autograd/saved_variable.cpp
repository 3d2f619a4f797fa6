// Tensors that a node saves for backward, with their versions and hooks.

#include <torch/csrc/autograd/saved_variable.h>

#include <torch/csrc/autograd/forward_grad.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/view_functions.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

thread_local PackHook t_pack_hook = nullptr;

SavedVariable::SavedVariable(const Tensor& t, bool is_output) {
  if (!t.defined()) return;
  TORCH_CHECK(!t.is_inference() || c10::InferenceMode::is_enabled(),
              "Inference tensors cannot be saved for backward. To work around you can make a "
              "clone to get a normal tensor and use it in autograd.");
  version_ = t._version();
  auto* meta = get_autograd_meta(t);
  if (t_pack_hook) {
    hooks_ = t_pack_hook(is_output ? detach_shallow(t) : t);
    if (hooks_) {
      is_output_ = is_output && meta && meta->grad_fn;
      output_nr_ = meta ? meta->output_nr : 0;
      hook_history(t);
      return;
    }
  }
  if (is_output && meta && meta->grad_fn) {
    is_output_ = true;
    output_nr_ = meta->output_nr;
    data_ = detach_shallow(t);
  } else {
    data_ = t;
  }
}

void SavedVariable::hook_history(const Tensor& t) {
  if (!is_output_ && t.requires_grad()) hooks_->history = gradient_edge(t);
}

// What the hooks give, with the history of the tensor that they were given.
Tensor SavedVariable::unpack_hooked() const {
  Tensor t = hooks_->unpack();
  const Edge& history = hooks_->history;
  if (is_output_ || !t.defined() || (!history.is_valid() && !t.requires_grad())) return t;
  if (history.is_valid() && t.requires_grad()) {
    Edge own = gradient_edge(t);
    if (own.function == history.function && own.input_nr == history.input_nr) return t;
  }
  Tensor again = detach_shallow(t);
  if (!history.is_valid()) return again;
  if (auto* leaf = dynamic_cast<AccumulateGrad*>(history.function.get())) {
    if (leaf->variable.is_same(t)) return t;
    set_leaf_of(again, history.function);
  } else {
    set_gradient_edge(again, history);
  }
  return again;
}

void throw_backward_twice() {
  TORCH_CHECK(false,
              "Trying to backward through the graph a second time (or directly access saved "
              "tensors after they have already been freed). Saved intermediate values of the "
              "graph are freed when you call .backward() or autograd.grad(). Specify "
              "retain_graph=True if you need to backward through the graph a second time or if "
              "you need to access saved tensors after calling backward.");
  __builtin_unreachable();
}

static std::string type_and_shape(const Tensor& t) {
  return c10::str("torch.", t.is_cuda() ? "cuda." : "", c10::toString(t.scalar_type()), "Tensor ",
                  t.sizes());
}

Tensor SavedVariable::unpack(Node* saved_for) const {
  if (reset_) throw_backward_twice();
  Tensor t = hooks_ ? unpack_hooked() : data_;
  if (!t.defined()) return t;
  if (!hooks_ && data_._version() != version_) {
    TORCH_CHECK(false,
                "one of the variables needed for gradient computation has been modified by an "
                "inplace operation: [",
                type_and_shape(data_), "]",
                saved_for
                    ? c10::str(", which is output ", output_nr_, " of ", saved_for->name(), ",")
                    : std::string(","),
                " is at version ", data_._version(), "; expected version ", version_,
                " instead. Hint: enable anomaly detection to find the operation that failed to "
                "compute its gradient, with "
                "torch.autograd.set_detect_anomaly(True).");
  }
  if (!is_output_) return t;
  Tensor again = detach_shallow(t);
  if (C10_UNLIKELY(tangent_of(t).defined())) set_tangent(again, tangent_of(t));
  if (!saved_for) return again;
  Edge edge = CopySlices::edge_of_result(saved_for);
  if (!edge.is_valid()) edge = {intrusive_ptr<Node>::reclaim_copy(saved_for), output_nr_};
  set_gradient_edge(again, std::move(edge));
  return again;
}

void SavedVariable::register_hooks(std::unique_ptr<SavedVariableHooks> hooks) {
  hooks_ = std::move(hooks);
  hook_history(data_);
  data_.reset();
}

void SavedVariable::reset_data() {
  if (!data_.defined() && !hooks_) return;
  data_.reset();
  hooks_.reset();
  reset_ = true;
}

std::vector<SavedVariable> make_saved_variable_list(at::TensorList list, bool is_output) {
  std::vector<SavedVariable> saved;
  saved.reserve(list.size());
  for (const Tensor& t : list) saved.emplace_back(t, is_output);
  return saved;
}

std::vector<SavedVariable> make_saved_variable_list(at::OptionalTensorList list, bool is_output) {
  std::vector<SavedVariable> saved;
  saved.reserve(list.size());
  for (const auto& t : list) saved.emplace_back(at::value_or_undefined(t), is_output);
  return saved;
}

variable_list unpack_list(const std::vector<SavedVariable>& list, Node* saved_for) {
  variable_list tensors;
  tensors.reserve(list.size());
  for (const SavedVariable& s : list) tensors.push_back(s.unpack(saved_for));
  return tensors;
}

}  // namespace torch::autograd
