// The autograd kernel of operators without a derivative: backward through them warns or raises.

#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>

#include <atomic>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelRegistrations.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>

namespace torch::autograd {

using c10::TensorImpl;

static std::atomic<AutogradFallbackMode> g_mode{AutogradFallbackMode::Warn};

AutogradFallbackMode autograd_fallback_mode() { return g_mode; }
void set_autograd_fallback_mode(AutogradFallbackMode mode) { g_mode = mode; }

namespace {

void tell(const std::string& op, bool throws) {
  std::string what =
      op +
      ": backward has reached this operator, but an autograd kernel was not registered "
      "for it. What its kernel does without other operators has no gradient, so that "
      "the result may be wrong. Register a derivative (torch.library.register_autograd, "
      "a kernel for DispatchKey::Autograd), or, where the kernel consists of operators "
      "that have derivatives, register it for CompositeImplicitAutograd; if the operator "
      "is not differentiable, detach its inputs.";
  TORCH_CHECK(!throws, what);
  TORCH_WARN(what);
}

// The history of a result whose kernel recorded none.
struct NotImplemented final : Node {
  NotImplemented(std::string op, bool throws) : op(std::move(op)), throws(throws) {}
  variable_list apply(variable_list&&) override {
    tell(op, throws);
    return variable_list(num_outputs());
  }
  const char* name() const override { return throws ? "NotImplemented" : "WarnNotImplemented"; }
  std::string op;
  bool throws;
};

// The history of what torch.library.custom_op made.
struct NoFormula final : Node {
  explicit NoFormula(std::string op) : op(std::move(op)) {}
  variable_list apply(variable_list&&) override {
    TORCH_CHECK(
        false, "Trying to backward through ", op,
        " but no autograd formula was registered for it: please use register_autograd to add "
        "one.");
  }
  const char* name() const override { return "NoFormula"; }
  std::string op;
};

// Sees the gradient of a result whose kernel's operators recorded a history.
struct TellingHook final : TensorHook {
  TellingHook(std::string op, bool throws) : op(std::move(op)), throws(throws) {}
  Tensor operator()(const Tensor& grad) override {
    tell(op, throws);
    return grad;
  }
  std::string op;
  bool throws;
};

std::vector<Tensor> tensors_of(const at::IValue& value) {
  std::vector<Tensor> found;
  at::for_each_tensor(value, [&](const Tensor& t) { found.push_back(t); });
  return found;
}

void call_kernel(const at::OperatorEntry& op, c10::DispatchKeySet keys, at::IValueStack& stack) {
  keys = c10::DispatchKeySet((keys & c10::after_autograd_keyset).raw_repr() & op.considered_keys);
  const at::Override* kernel = at::find_kernel(op, keys).override;
  if (!kernel) at::report_missing_kernel(op, keys);
  kernel->boxed(kernel->state, op, keys, stack);
}

void fallback(void*, const at::OperatorEntry& op, c10::DispatchKeySet keys,
              at::IValueStack& stack) {
  bool refuses = op.overrides->refuses_backward;
  AutogradFallbackMode mode = g_mode;
  if (mode == AutogradFallbackMode::Nothing && !refuses) return call_kernel(op, keys, stack);

  size_t count = at::schema_of(op).arguments.size();
  std::vector<Tensor> inputs;
  for (size_t i = stack.size() - std::min(count, stack.size()); i < stack.size(); ++i) {
    for (Tensor& t : tensors_of(stack[i])) inputs.push_back(std::move(t));
  }
  if (!compute_requires_grad(at::TensorList(inputs))) return call_kernel(op, keys, stack);

  bool throws = mode == AutogradFallbackMode::Error;
  std::string name = at::full_name(op);
  intrusive_ptr<Node> node;
  if (refuses) node = c10::make_intrusive<NoFormula>(name);
  else node = c10::make_intrusive<NotImplemented>(name, throws);
  node->collect_next_edges(at::TensorList(inputs));
  size_t below = stack.size() - count;
  auto is_input = [&](const Tensor& t) {
    for (const Tensor& input : inputs) {
      if (t.is_same(input)) return true;
    }
    return false;
  };
  if (refuses) {
    BelowAutograd guard;
    call_kernel(op, keys, stack);
  } else {
    call_kernel(op, keys, stack);
  }
  for (size_t i = below; i < stack.size(); ++i) {
    for (const Tensor& t : tensors_of(stack[i])) {
      if (!t.defined()) continue;
      if (requires_grad(t)) {
        if (refuses) continue;
        // A view that was changed in place: its base's gradient goes through the change as well.
        TensorImpl* base = is_input(t) ? t.unsafeGetTensorImpl()->view_base() : nullptr;
        Tensor seen = base ? Tensor(intrusive_ptr<TensorImpl>::reclaim_copy(base)) : t;
        register_tensor_hook(seen, std::make_shared<TellingHook>(name, throws));
      } else if (t.is_floating_point() || t.is_complex()) {
        set_history(t, node);
      }
    }
  }
}

[[maybe_unused]] const bool installed = (at::set_autograd_fallback(&fallback), true);

}  // namespace
}  // namespace torch::autograd
