// A tensor's place in the graph: its node, its gradient, and what it is a view of.

#include <torch/csrc/autograd/variable.h>

#include <mutex>

#include <ATen/native/common/StructuredOutputs.h>
#include <c10/util/ForkMutex.h>
#include <c10/util/Logging.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/view_functions.h>
#include <torch/csrc/autograd/graph_log.h>

namespace torch::autograd {

using c10::TensorImpl;

static std::mutex g_accumulator_mutex;
static c10::HoldDuringFork g_accumulator_hold(g_accumulator_mutex);

AutogradMeta& materialize_autograd_meta(const at::TensorBase& t) {
  TensorImpl* impl = t.unsafeGetTensorImpl();
  if (!impl->autograd_meta()) impl->set_autograd_meta(new AutogradMeta);
  return *static_cast<AutogradMeta*>(impl->autograd_meta());
}

// Whether an in-place change reached a view's memory since its history was settled.
static bool view_is_stale(TensorImpl* impl) {
  return impl->view_base() && impl->view_version() != impl->version();
}

// The gradient that a tensor keeps is that of its latest value.
static void move_retained_grad(AutogradMeta& meta, const intrusive_ptr<Node>& before, uint32_t nr) {
  if (!meta.retains_grad || !before || !meta.grad_fn) return;
  auto& list = before->hooks().retains_grad;
  for (auto it = list.begin(); it != list.end(); ++it) {
    if (it->first != nr) continue;
    meta.grad_fn->hooks().retains_grad.emplace_back(meta.output_nr, std::move(it->second));
    list.erase(it);
    return;
  }
}

static Tensor base_of(TensorImpl* impl) {
  return Tensor(intrusive_ptr<TensorImpl>::reclaim_copy(impl->view_base()));
}

bool requires_grad(const at::TensorBase& t) {
  TensorImpl* impl = t.unsafeGetTensorImpl();
  if (!impl->has_autograd_key()) return false;
  if (auto* meta = get_autograd_meta(t)) {
    if (meta->requires_grad || meta->grad_fn) return true;
  }
  return impl->view_base() && requires_grad(base_of(impl));
}

// "Select" of SelectBackward0.
static std::string operation_of(const Node& node) {
  std::string name = node.name();
  size_t end = name.rfind("Backward");
  return end == std::string::npos ? name : name.substr(0, end);
}

void check_view_may_change(const Tensor& t, bool indirectly) {
  TensorImpl* impl = t.unsafeGetTensorImpl();
  auto how = impl->creation_meta();
  if (how == c10::CreationMeta::Default) return;
  auto* meta = get_autograd_meta(t);
  bool quiet = how == c10::CreationMeta::NoGradMode || how == c10::CreationMeta::InferenceMode ||
               !meta || !meta->grad_fn;
  const char* mode = how == c10::CreationMeta::InferenceMode ? "inference mode" : "no_grad mode";
  const char* changed = indirectly
                            ? "its base or another view of its base has been modified inplace"
                            : "is being modified inplace";
  if (quiet && (how == c10::CreationMeta::NoGradMode || how == c10::CreationMeta::InferenceMode)) {
    TORCH_CHECK(
        false, "A view was created in ", mode, " and ", changed,
        how == c10::CreationMeta::InferenceMode ? " in normal mode" : " with grad mode enabled",
        ". It is unclear whether the change is to be recorded: make both the view and the change "
        "inside of the block, or both outside.");
  }
  std::string what = quiet ? "A view was created in no_grad mode and "
                           : c10::str("Output ", meta->output_nr, " of ",
                                      operation_of(*meta->grad_fn), " is a view and ");
  if (how == c10::CreationMeta::MultiOutputNode) {
    TORCH_CHECK(
        false, what, changed,
        ". This view is the output of a function that returns multiple views. Such views cannot be "
        "modified inplace where gradients are recorded: use an out-of-place operation.");
  }
  TORCH_CHECK(false, what, changed,
              ". This view was created inside a custom Function (or is an input that it returned "
              "as it was), whose backward the change would go past: clone the output of the "
              "custom Function first.");
}

intrusive_ptr<Node> grad_fn(const at::TensorBase& t) {
  TensorImpl* impl = t.unsafeGetTensorImpl();
  auto* meta = get_autograd_meta(t);
  if (view_is_stale(impl)) {
    Tensor base = base_of(impl);
    if (requires_grad(base)) {
      check_view_may_change(Tensor(t), /*indirectly=*/true);
      auto node_before = std::move(materialize_autograd_meta(t).grad_fn);
      auto node = AsStridedOfBase::make(base, Tensor(t));
      node->add_next_edge(gradient_edge(base));
      AutogradMeta& m = materialize_autograd_meta(t);
      uint32_t nr_before = m.output_nr;
      m.output_nr = node->add_input_metadata(Tensor(t));
      m.grad_fn = std::move(node);
      move_retained_grad(m, node_before, nr_before);
      impl->set_view_version(impl->version());
      return m.grad_fn;
    }
  }
  return meta ? meta->grad_fn : nullptr;
}

intrusive_ptr<Node> try_get_grad_accumulator(const at::TensorBase& t) {
  auto* meta = get_autograd_meta(t);
  if (!meta) return nullptr;
  std::lock_guard<std::mutex> lock(g_accumulator_mutex);
  return meta->grad_accumulator.lock();
}

std::optional<c10::ScalarType> grad_dtype(const at::TensorBase& t) {
  auto* meta = get_autograd_meta(t);
  if (meta && meta->any_grad_dtype) return std::nullopt;
  if (meta && meta->grad_dtype != c10::ScalarType::Undefined) return meta->grad_dtype;
  return t.scalar_type();
}

static void tell_grad_dtype(const AutogradMeta& meta, const Tensor& t, Node& accumulator) {
  if (!meta.any_grad_dtype && meta.grad_dtype == c10::ScalarType::Undefined) return;
  accumulator.set_input_dtype(0, grad_dtype(t).value_or(t.scalar_type()), meta.any_grad_dtype);
}

intrusive_ptr<Node> grad_accumulator(const Tensor& t) {
  auto* meta = get_autograd_meta(t);
  if (!meta || !meta->requires_grad || meta->grad_fn) return nullptr;
  std::lock_guard<std::mutex> lock(g_accumulator_mutex);
  if (auto held = meta->grad_accumulator.lock()) return held;
  intrusive_ptr<Node> accumulator = c10::make_intrusive<AccumulateGrad>(t);
  tell_grad_dtype(*meta, t, *accumulator);
  meta->grad_accumulator = c10::weak_intrusive_ptr<Node>(accumulator);
  return accumulator;
}

void set_grad_dtype(const Tensor& t, std::optional<c10::ScalarType> dtype) {
  AutogradMeta& meta = materialize_autograd_meta(t);
  meta.any_grad_dtype = !dtype;
  meta.grad_dtype = dtype.value_or(t.scalar_type());
  if (auto held = try_get_grad_accumulator(t)) tell_grad_dtype(meta, t, *held);
}

Edge gradient_edge(const Tensor& t) {
  if (!t.unsafeGetTensorImpl()->has_autograd_key()) return {};
  if (auto node = grad_fn(t)) return {std::move(node), get_autograd_meta(t)->output_nr};
  return {grad_accumulator(t), 0};
}

void set_gradient_edge(const Tensor& t, Edge edge) {
  AutogradMeta& meta = materialize_autograd_meta(t);
  auto node_before = std::move(meta.grad_fn);
  uint32_t nr_before = meta.output_nr;
  meta.grad_fn = std::move(edge.function);
  meta.output_nr = edge.input_nr;
  move_retained_grad(meta, node_before, nr_before);
  TensorImpl* impl = t.unsafeGetTensorImpl();
  impl->set_autograd_key(true);
  if (impl->view_base()) impl->set_view_version(impl->version());
}

void set_leaf_of(const Tensor& t, const intrusive_ptr<Node>& accumulator) {
  AutogradMeta& meta = materialize_autograd_meta(t);
  meta.requires_grad = true;
  {
    std::lock_guard<std::mutex> lock(g_accumulator_mutex);
    meta.grad_accumulator = c10::weak_intrusive_ptr<Node>(accumulator);
  }
  t.unsafeGetTensorImpl()->set_autograd_key(true);
}

static bool is_differentiable_type(const Tensor& t) {
  return t.is_floating_point() || t.is_complex();
}

void set_history(const Tensor& result, const intrusive_ptr<Node>& node) {
  if (!result.defined() || !is_differentiable_type(result)) {
    node->add_undefined_input();
    return;
  }
  uint32_t nr = node->add_input_metadata(result);
  set_gradient_edge(result, {node, nr});
  if (c10::log_enabled(c10::LogArtifact::AutogradNodes)) log_node_made(*node, result);
}

void rebase_history(const Tensor& self, const intrusive_ptr<Node>& node) {
  // Whole numbers and truth values have no gradient, whatever is stored into them.
  if (!is_differentiable_type(self)) return;
  TensorImpl* impl = self.unsafeGetTensorImpl();
  if (c10::log_enabled(c10::LogArtifact::AutogradNodes)) log_node_made(*node, self);
  if (!impl->view_base()) {
    uint32_t nr = node->add_input_metadata(self);
    set_gradient_edge(self, {node, nr});
    return;
  }
  Tensor base = base_of(impl);
  node->add_input_metadata(self);
  auto slices = CopySlices::make(base, self, node);
  uint32_t nr = slices->add_input_metadata(base);
  set_gradient_edge(base, {slices, nr});
  // The view is now a piece of the new base: ask for its history when somebody needs it.
  impl->set_view_version(impl->version() - 1);
  impl->set_autograd_key(true);
  grad_fn(self);
}

void rebase_reshaped(const Tensor& self, const intrusive_ptr<Node>& node) {
  TensorImpl* impl = self.unsafeGetTensorImpl();
  if (!impl->view_base()) return rebase_history(self, node);
  // It shows another piece of the base, or the same in another order: see grad_fn.
  impl->set_view_version(impl->version() - 1);
  grad_fn(self);
}

Tensor detach_shallow(const Tensor& t) { return Tensor(t.unsafeGetTensorImpl()->shallow_copy()); }

uint32_t register_tensor_hook(const Tensor& t, std::shared_ptr<TensorHook> hook) {
  if (auto node = grad_fn(t)) {
    auto& list = node->hooks().tensor_pre;
    list.emplace_back(get_autograd_meta(t)->output_nr, std::move(hook));
    return static_cast<uint32_t>(list.size() - 1);
  }
  AutogradMeta& meta = materialize_autograd_meta(t);
  if (!meta.hooks) meta.hooks = std::make_unique<TensorHooks>();
  meta.hooks->pre.push_back(std::move(hook));
  return static_cast<uint32_t>(meta.hooks->pre.size() - 1);
}

namespace {
// Keeps the gradient of a non-leaf tensor. Holds the tensor weakly, because its node owns this
// hook.
struct RetainGrad final : TensorHook {
  explicit RetainGrad(const Tensor& t) : tensor(t.getIntrusivePtr()) {}
  Tensor operator()(const Tensor& grad) override {
    if (auto impl = tensor.lock()) {
      Tensor t(std::move(impl));
      if (grad.defined()) {
        Tensor& g = materialize_autograd_meta(t).grad;
        g = g.defined() ? add_gradients(g, grad) : grad;
      }
    }
    return grad;
  }
  c10::weak_intrusive_ptr<TensorImpl> tensor;
};
}  // namespace

void retain_grad(const Tensor& t) {
  TORCH_CHECK(requires_grad(t), "can't retain_grad on Tensor that has requires_grad=False");
  auto node = grad_fn(t);
  AutogradMeta& meta = materialize_autograd_meta(t);
  if (!node || meta.retains_grad) return;
  node->hooks().retains_grad.emplace_back(meta.output_nr, std::make_shared<RetainGrad>(t));
  meta.retains_grad = true;
}

}  // namespace torch::autograd

// The part of at::Tensor that is autograd's.
namespace at {

bool TensorBase::requires_grad() const { return torch::autograd::requires_grad(*this); }
bool TensorBase::is_leaf() const { return !torch::autograd::grad_fn(*this); }
bool TensorBase::retains_grad() const {
  auto* meta = torch::autograd::get_autograd_meta(*this);
  return meta && meta->retains_grad;
}

const Tensor& Tensor::grad() const {
  static const Tensor undefined;
  auto* meta = torch::autograd::get_autograd_meta(*this);
  return meta ? meta->grad : undefined;
}

Tensor& Tensor::mutable_grad() const {
  return torch::autograd::materialize_autograd_meta(*this).grad;
}

const Tensor& Tensor::set_requires_grad(bool on) const {
  TORCH_CHECK(!on || is_floating_point() || is_complex(),
              "only Tensors of floating point and complex dtype can require gradients, got ",
              dtypeName(scalar_type()));
  TORCH_CHECK(
      !(on && is_inference() && !c10::InferenceMode::is_enabled()),
      "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  if (!on && !torch::autograd::get_autograd_meta(*this)) return *this;
  auto& meta = torch::autograd::materialize_autograd_meta(*this);
  TORCH_CHECK(!meta.grad_fn || on,
              "you can only change requires_grad flags of leaf variables. To use a computed "
              "variable in a subgraph that needs no gradient, use its detach().");
  if (meta.grad_fn) return *this;
  meta.requires_grad = on;
  impl_->set_autograd_key(on || impl_->view_base());
  return *this;
}

}  // namespace at
