// Dual tensors, their level, and the kernel that computes tangents: Note [Forward mode].

#include <torch/csrc/autograd/forward_grad.h>

#include <atomic>
#include <mutex>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelRegistrations.h>
#include <ATen/core/ivalue.h>
#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/ops/_conj.h>
#include <ATen/ops/_fw_primal_native.h>
#include <ATen/ops/_make_dual_native.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/_unpack_dual_native.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zero__ops.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {
namespace {

using at::FunctionSchema;
using at::IValue;
using at::IValueStack;
using at::OperatorEntry;
using c10::DispatchKeySet;
using c10::TensorImpl;

const DispatchKeySet kForwardGrad(c10::Functionality::ForwardGrad);

struct BelowForwardGrad : c10::impl::ExcludeDispatchKeyGuard {
  BelowForwardGrad() : ExcludeDispatchKeyGuard(kForwardGrad) {}
};

// --- the level -----------------------------------------------------------------------------------

std::mutex g_mutex;
std::atomic<bool> g_inside{false};
std::vector<c10::weak_intrusive_ptr<TensorImpl>> g_duals;  // of the level

void drop_tangent(TensorImpl& impl) {
  static_cast<AutogradMeta*>(impl.autograd_meta())->tangent = Tensor();
  impl.set_keys(impl.key_set() - kForwardGrad);
}

// --- arguments and results on the stack ----------------------------------------------------------

variable_list tensors_of(const IValueStack& values) {
  variable_list found;
  for (const IValue& value : values)
    at::for_each_tensor(value, [&](const Tensor& t) { found.push_back(t); });
  return found;
}

bool has_tangent(const IValueStack& values) {
  for (const IValue& value : values) {
    bool dual = false;
    at::for_each_tensor(value, [&](const Tensor& t) { dual |= tangent_of(t).defined(); });
    if (dual) return true;
  }
  return false;
}

bool takes_gradient(const Tensor& t) {
  return t.defined() && (t.is_floating_point() || t.is_complex());
}

// --- calls ---------------------------------------------------------------------------------------

void call_below(const OperatorEntry& op, DispatchKeySet keys, IValueStack& stack) {
  at::redispatch_boxed(op, keys.below(c10::DispatchKey::ForwardGrad), stack);
}

// Calls an operator by its arguments' keys, without forward mode.
IValueStack call(const OperatorEntry& op, IValueStack stack) {
  BelowForwardGrad guard;
  at::call_boxed(op, stack);
  return stack;
}

bool has_derivative(const OperatorEntry& op) {
  if (at::generated_kernel(op, c10::DispatchKey::AutogradCPU)) return true;
  const auto* own = op.overrides ? op.overrides->at(c10::DispatchKey::AutogradCPU) : nullptr;
  return own && !own->empty();
}

// --- rules ---------------------------------------------------------------------------------------

struct Derived {
  IValueStack results;
  variable_list tangents;  // of all tensors in the results; undefined where there is none
};

// Whether two calls with the same arguments give different results.
bool is_random(const FunctionSchema& schema) {
  for (const auto& a : schema.arguments) {
    if (a.type.base == "Generator") return true;
  }
  for (const char* part : {"dropout", "attention", "rnn_layer"}) {
    if (schema.name.find(part) != std::string::npos) return true;
  }
  return false;
}

bool any_requires_grad(const IValueStack& arguments) {
  for (const Tensor& t : tensors_of(arguments)) {
    if (t.defined() && requires_grad(t)) return true;
  }
  return false;
}

bool shares_storage(const Tensor& a, const Tensor& b) {
  const TensorImpl &x = *a.unsafeGetTensorImpl(), &y = *b.unsafeGetTensorImpl();
  return x.has_storage() && y.has_storage() &&
         x.storage().unsafeGetStorageImpl() == y.storage().unsafeGetStorageImpl();
}

// A tangent of y that no in-place change of another dual tensor reaches.
Tensor own_copy(Tensor tangent, const Tensor& y, const variable_list& directions) {
  if (!tangent.defined()) return at::zeros_like(y);
  for (const Tensor& t : directions) {
    if (shares_storage(tangent, t)) return at::clone(tangent);
  }
  return tangent;
}

// J t from the backward formula: Note [Forward mode].
// `in_place`: the operator changes its first argument, of which a copy is passed.
Derived from_backward(const OperatorEntry& op, const IValueStack& arguments,
                      bool in_place = false) {
  BelowForwardGrad guard;
  const bool records = c10::GradMode::is_enabled();
  bool history = false;  // whether results belong to a graph outside
  variable_list inputs, directions;
  IValueStack stack;
  c10::AutoGradMode on(true);
  for (const IValue& value : arguments) {
    stack.push_back(at::with_tensors(value, [&](const Tensor& t) -> Tensor {
      const bool recorded = records && t.defined() && requires_grad(t);
      history |= recorded;
      const Tensor& tangent = tangent_of(t);
      const bool changed = in_place && stack.empty();
      if (!tangent.defined() && changed) return at::clone(t);
      if (!tangent.defined()) return records ? t : t.defined() ? detach_shallow(t) : t;
      history |= records && requires_grad(tangent);
      // Every place of a tensor has its own gradient, so each gets a tensor of its own.
      Tensor input = recorded ? at::alias(t) : detach_shallow(t);
      if (!recorded) input.set_requires_grad(true);
      inputs.push_back(input);
      directions.push_back(tangent);
      return changed ? at::clone(input) : input;
    }));
  }
  Derived found{call(op, std::move(stack)), {}};
  variable_list results = tensors_of(found.results);
  variable_list live, flowing;
  for (const Tensor& y : results) {
    if (!takes_gradient(y) || !requires_grad(y)) continue;
    live.push_back(y);
    // Where 0 flows in, no formula finds fault with it (as that of eigenvectors does with gradients
    // that depend on their phase). One takes logarithms of it, and has no derivative at 0.
    const bool logarithms = std::string_view(op.name) == "aten::logcumsumexp";
    flowing.push_back((logarithms ? at::ones_like(y) : at::zeros_like(y)).set_requires_grad(true));
  }
  variable_list linear, along;
  if (!live.empty()) {
    variable_list gradients = grad(live, inputs, flowing, true, true, true);
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i].defined() || !requires_grad(gradients[i])) continue;
      linear.push_back(gradients[i]);
      along.push_back(directions[i]);
    }
  }
  variable_list tangents(live.size());
  if (!linear.empty()) tangents = grad(linear, flowing, along, history, history, true);
  size_t next = 0;
  for (const Tensor& y : results) {
    if (next == live.size() || !y.is_same(live[next])) {
      found.tangents.emplace_back();
      continue;
    }
    Tensor tangent = std::move(tangents[next++]);
    found.tangents.push_back(own_copy(std::move(tangent), y, directions));
  }
  if (!history) {
    for (IValue& value : found.results)
      value = at::with_tensors(value,
                               [](const Tensor& t) { return t.defined() ? detach_shallow(t) : t; });
  } else if (records && any_requires_grad(arguments) && !is_random(at::schema_of(op))) {
    // The graph outside saves the dual tensors themselves, so that backward computes tangents too.
    found.results = call(op, arguments);
  }
  return found;
}

// A node saves its results before they get tangents.
void set_tangent_of_saved_result(const Tensor& result) {
  auto node = grad_fn(result);
  if (!node) return;
  node->visit_saved([](void* context, const char*, const SavedVariable& saved) {
    const Tensor& result = *static_cast<const Tensor*>(context);
    const Tensor& data = saved.data();
    if (!data.defined() || data.is_same(result) || tangent_of(data).defined()) return;
    if (shares_storage(data, result) && data.sizes() == result.sizes() &&
        data.strides() == result.strides() && data.storage_offset() == result.storage_offset())
      set_tangent(data, tangent_of(result));
  }, const_cast<Tensor*>(&result));
}

void set_tangents(const IValueStack& results, const variable_list& tangents) {
  variable_list tensors = tensors_of(results);
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tangents[i].defined() || !takes_gradient(tensors[i])) continue;
    set_tangent(tensors[i], tangents[i]);
    set_tangent_of_saved_result(tensors[i]);
  }
}

// Views are linear in the tensor that they show, their first argument with tensors.
void view_rule(const OperatorEntry& op, IValueStack& stack) {
  IValueStack along = stack;
  Tensor shown;
  for (IValue& value : along) {
    if (!value.isTensor()) continue;
    shown = value.toTensor();
    value = tangent_of(shown);
    break;
  }
  stack = call(op, std::move(stack));
  if (!tangent_of(shown).defined() || std::string_view(op.name) == "aten::detach") return;
  set_tangents(stack, tensors_of(call(op, std::move(along))));
}

// Writes a new tangent into the memory of the old one, where views of the same memory see it.
void write_tangent(const Tensor& self, const Tensor& tangent) {
  Tensor own = tangent_of(self);

  if (!own.defined()) {
    TensorImpl* shown = self.unsafeGetTensorImpl()->view_base();
    if (!shown) return set_tangent(self, tangent);
    Tensor base(c10::intrusive_ptr<TensorImpl>::reclaim_copy(shown));
    if (!tangent_of(base).defined()) set_tangent(base, at::zeros_like(detach_shallow(base)));
    own = at::as_strided(tangent_of(base), self.sizes(), self.strides(),
                         self.storage_offset() - base.storage_offset());
    if (self.is_conj() != base.is_conj()) own = at::_conj(own);
    if (self.is_neg() != base.is_neg()) own = at::_neg_view(own);
    set_tangent(self, own);
  }
  at::_ops::copy_::call(own, tangent, false);
}

void in_place_rule(const OperatorEntry& op, IValueStack& stack) {
  const Tensor self = stack[0].toTensor();
  const std::string_view name = op.name;
  const OperatorEntry* functional = at::functional_form(op);
  if (functional &&
      at::is_view(at::schema_of(*functional))) {  // t_(): the tangent changes its shape as well
    IValueStack along = stack;
    along[0] = tangent_of(self);
    if (tangent_of(self).defined()) call(op, std::move(along));
    stack = call(op, std::move(stack));
    return;
  }
  if (functional && is_random(at::schema_of(op)) && tangent_of(self).defined()) {
    // One call draws the numbers of both.
    Derived found = from_backward(*functional, stack);
    BelowForwardGrad guard;
    at::_ops::copy_::call(stack[0].toTensor(), found.results[0].toTensor(), false);
    if (found.tangents[0].defined()) write_tangent(self, found.tangents[0]);
    else at::_ops::zero_::call(const_cast<Tensor&>(tangent_of(self)));
    stack = IValueStack{self};
    return;
  }
  Tensor tangent;
  if (name == "aten::copy_") {
    tangent = tangent_of(stack[1].toTensor());
  } else if (!is_random(at::schema_of(op))) {
    IValueStack before = stack;
    if (any_requires_grad(stack)) {  // the tangent's graph keeps what self was
      BelowForwardGrad guard;
      Tensor copy = at::clone(self);
      if (tangent_of(self).defined()) set_tangent(copy, at::clone(tangent_of(self)));
      before[0] = copy;
    }
    variable_list found =
        from_backward(functional ? *functional : op, before, !functional).tangents;
    if (!found.empty()) tangent = found[0];
  }
  stack = call(op, std::move(stack));
  if (!takes_gradient(self)) return;
  if (tangent.defined()) {
    if (tangent.sizes() != self.sizes() ||
        tangent.dtype() != self.dtype()) {  // copy_ converts and expands
      Tensor whole = at::zeros_like(detach_shallow(self));
      at::_ops::copy_::call(whole, tangent, false);
      tangent = whole;
    }
    BelowForwardGrad guard;
    write_tangent(self, tangent);
    set_tangent_of_saved_result(self);
  } else if (Tensor own = tangent_of(self); own.defined()) {  // zero_(), fill_(1), uniform_()
    at::_ops::zero_::call(own);
  }
}

void kernel(void*, const OperatorEntry& op, DispatchKeySet keys, IValueStack& stack) {
  const FunctionSchema& schema = at::schema_of(op);
  const size_t count = schema.arguments.size(), begin = stack.size() - count;
  IValueStack arguments;
  arguments.assign(stack.begin() + static_cast<int64_t>(begin), stack.end());
  if (std::string_view(op.name) == "aten::detach_" && tangent_of(arguments[0].toTensor()).defined())
    drop_tangent(*arguments[0].toTensor().unsafeGetTensorImpl());
  if (!has_derivative(op) || !has_tangent(arguments)) return call_below(op, keys, stack);
  for (const auto& a : schema.arguments) {
    TORCH_CHECK_NOT_IMPLEMENTED(!(a.kwarg_only && a.type.mutates), op.name,
                                ": forward-mode derivatives are not computed for forms with out=; "
                                "use the one that returns a new tensor");
  }
  if (at::is_view(schema)) {
    view_rule(op, arguments);
  } else if (!schema.arguments.empty() && schema.arguments[0].type.mutates &&
             arguments[0].isTensor()) {
    in_place_rule(op, arguments);
  } else {
    Derived found = from_backward(op, arguments);
    set_tangents(found.results, found.tangents);
    arguments = std::move(found.results);
  }
  stack.resize(begin);
  for (IValue& value : arguments) stack.push_back(std::move(value));
}

}  // namespace

int64_t enter_dual_level() {
  static const int64_t installed = [] {
    at::Override forward;
    forward.boxed = &kernel;
    forward.debug = "torch/csrc/autograd/forward_grad.cpp";
    return at::register_fallback(c10::DispatchKey::ForwardGrad, std::move(forward));
  }();
  static_cast<void>(installed);
  TORCH_CHECK(!g_inside.exchange(true),
              "forward_ad: a dual level is active already, and levels do not nest");
  return 0;
}

void exit_dual_level(int64_t level) {
  TORCH_CHECK(g_inside && level == 0, "forward_ad: there is no dual level ", level, " to end");
  std::vector<c10::weak_intrusive_ptr<TensorImpl>> duals;
  {
    std::lock_guard<std::mutex> lock(g_mutex);
    duals.swap(g_duals);
    g_inside = false;
  }
  for (const auto& weak : duals) {
    if (auto impl = weak.lock()) drop_tangent(*impl);
  }
}

const Tensor& tangent_of(const at::TensorBase& t) {
  static const Tensor none;
  if (!t.defined() || !t.unsafeGetTensorImpl()->key_set().has(c10::Functionality::ForwardGrad))
    return none;
  const AutogradMeta* meta = get_autograd_meta(t);
  return meta ? meta->tangent : none;
}

void set_tangent(const Tensor& t, Tensor tangent) {
  BelowForwardGrad guard;
  const bool same_layout = tangent.strides() == t.strides();
  if (!same_layout &&
      at::has_internal_overlap(*t.unsafeGetTensorImpl())) {  // has views of any tensor
    tangent = at::contiguous(tangent);
  } else if (!same_layout) {  // views of the tangent are those of the tensor
    Tensor copy = at::empty_strided(t.sizes(), t.strides(), tangent.options());
    at::_ops::copy_::call(copy, tangent, false);
    tangent = copy;
  }
  TensorImpl* impl = t.unsafeGetTensorImpl();
  const bool first = !tangent_of(t).defined();
  materialize_autograd_meta(t).tangent = std::move(tangent);
  impl->set_keys(impl->key_set() | kForwardGrad);
  if (!first) return;
  std::lock_guard<std::mutex> lock(g_mutex);
  g_duals.emplace_back(c10::intrusive_ptr<TensorImpl>::reclaim_copy(impl));
}

bool is_forward_grad_enabled() {
  return !c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::ForwardGrad);
}

void set_forward_grad_enabled(bool on) {
  DispatchKeySet excluded(c10::impl::tls_local_state.excluded);
  c10::impl::set_excluded((on ? excluded - kForwardGrad : excluded | kForwardGrad).raw_repr());
}

}  // namespace torch::autograd

namespace at::native {

Tensor _fw_primal(const Tensor& self, int64_t /*level*/) {
  torch::autograd::BelowForwardGrad guard;
  return at::alias(self);
}

Tensor _make_dual(const Tensor& primal, const Tensor& tangent, int64_t level) {
  using torch::autograd::tangent_of;
  TORCH_CHECK(level == 0 && torch::autograd::g_inside, "make_dual: there is no dual level ", level);
  TORCH_CHECK(!tangent_of(primal).defined(),
              "make_dual: the primal has a tangent of this level already");
  TORCH_CHECK(tangent.defined() && (tangent.is_floating_point() || tangent.is_complex()),
              "make_dual: the tangent must be floating point or complex");
  TORCH_CHECK(primal.sizes() == tangent.sizes(), "make_dual: the tangent has the shape ",
              tangent.sizes(), ", the primal ", primal.sizes());
  Tensor dual = at::alias(primal);
  torch::autograd::set_tangent(dual, tangent);
  return dual;
}

std::tuple<Tensor, Tensor> _unpack_dual(const Tensor& dual, int64_t level) {
  return {_fw_primal(dual, level), torch::autograd::tangent_of(dual)};
}

}  // namespace at::native
