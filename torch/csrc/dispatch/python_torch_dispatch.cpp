// The kernel at the key Python: Note [Python dispatch].

#include <torch/csrc/dispatch/python_torch_dispatch.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/dispatch/python_ivalue.h>
#include <torch/csrc/python_containers.h>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelRegistrations.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <ATen/ops/detach.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/PythonTensorHooks.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace torch {

using at::FunctionSchema;
using at::IValue;
using at::IValueStack;
using at::OperatorEntry;
using at::Tensor;

namespace {

const c10::DispatchKeySet kPythonKey{c10::DispatchKey::Python};

bool has_python_key(const Tensor& t) {
  return t.defined() && t.key_set().has(c10::Functionality::Python);
}

// The innermost of some modes, taken off while it runs.
struct CurrentMode {
  explicit CurrentMode(std::vector<DispatchMode>& modes)
      : modes(modes), mode(std::move(modes.back())) {
    modes.pop_back();
    update_python_key();
  }
  ~CurrentMode() {
    modes.push_back(std::move(mode));
    update_python_key();
  }
  CurrentMode(const CurrentMode&) = delete;
  std::vector<DispatchMode>& modes;
  DispatchMode mode;
};

// The arguments whose classes answer calls: one of each class, subclasses before their bases.
std::vector<PyObject*> overloaded_arguments(const IValueStack& stack) {
  std::vector<PyObject*> found;
  auto add = [&](const Tensor& t) {
    PyObject* o = has_python_key(t) ? t.unsafeGetTensorImpl()->pyobj() : nullptr;
    if (!o || !has_torch_dispatch(Py_TYPE(o))) return;
    size_t place = found.size();
    for (size_t i = 0; i < found.size(); ++i) {
      if (Py_TYPE(found[i]) == Py_TYPE(o)) return;
      if (place == found.size() && PyType_IsSubtype(Py_TYPE(o), Py_TYPE(found[i]))) place = i;
    }
    found.insert(found.begin() + static_cast<ptrdiff_t>(place), o);
  };
  for (const IValue& value : stack) at::for_each_tensor(value, add);
  return found;
}

// PyTorch's bindings take a number for `other` in these operators as a tensor, in all others as a
// Scalar. Here all of them take it as a tensor.
bool takes_numbers_as_tensors(std::string_view name) {
  name.remove_prefix(std::min<size_t>(name.find("::") + 2, name.size()));
  if (!name.empty() && name.back() == '_') name.remove_suffix(1);
  for (std::string_view other : {"add", "sub", "mul", "div", "subtract", "multiply", "divide",
                                 "true_divide", "floor_divide"}) {
    if (name == other) return true;
  }
  return false;
}

// aten::gt.Scalar for a call of aten::gt.Tensor whose `other` is a number.
const OperatorEntry& overload_of_call(const OperatorEntry& op, const IValueStack& stack) {
  if (stack.size() < 2 || std::string_view(op.overload) != "Tensor" || !stack[1].isTensor())
    return op;
  const Tensor& other = stack[1].toTensor();
  if (!other.defined() || !other.unsafeGetTensorImpl()->is_wrapped_number() ||
      has_python_key(other) || takes_numbers_as_tensors(op.name))
    return op;
  const OperatorEntry* scalar = at::find_operator(op.name, "Scalar");
  return scalar && at::schema_of(*scalar).arguments.size() == stack.size() ? *scalar : op;
}

bool has_python_key_tables = false;

// What OpOverload.py_impl has registered for a mode's class or a tensor's; null without one.
THPObjectPtr registered_handler(PyObject* func, PyObject* type) {
  if (C10_LIKELY(!has_python_key_tables)) return {};
  THPObjectPtr table = own(PyObject_GetAttrString(func, "python_key_table"));
  return THPObjectPtr::borrow(PyDict_GetItemWithError(table.get(), type));
}

THPObjectPtr call_registered(PyObject* function, PyObject* mode, const PythonArguments& given) {
  if (!mode) return own(PyObject_Call(function, given.args.get(), given.kwargs.get()));
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(given.args.get()));
  THPObjectPtr args = make_tuple(count + 1, [&](size_t i) {
    return Py_NewRef(i == 0 ? mode
                            : PyTuple_GET_ITEM(given.args.get(), static_cast<Py_ssize_t>(i) - 1));
  });
  return own(PyObject_Call(function, args.get(), given.kwargs.get()));
}

// The handler is a mode, or a class of tensors.
THPObjectPtr call_handler(PyObject* handler, PyObject* func,
                          const std::vector<PyObject*>& overloaded, const PythonArguments& given) {
  const bool is_class = PyType_Check(handler);
  if (THPObjectPtr function = registered_handler(
          func, is_class ? handler : reinterpret_cast<PyObject*>(Py_TYPE(handler))))
    return call_registered(function.get(), is_class ? nullptr : handler, given);
  THPObjectPtr method = own(PyObject_GetAttrString(handler, "__torch_dispatch__"));
  THPObjectPtr types = make_tuple(overloaded.size(), [&](size_t i) {
    return Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(overloaded[i])));
  });
  return own(PyObject_CallFunctionObjArgs(method.get(), func, types.get(), given.args.get(),
                                          given.kwargs.get(), nullptr));
}

THPObjectPtr ask(const OperatorEntry& op, const std::vector<PyObject*>& overloaded,
                 const PythonArguments& given) {
  if (!dispatch_modes().empty()) {
    CurrentMode current(dispatch_modes());
    PyObject* mode = current.mode.object.get();
    if (current.mode.is_function) {
      return own(PyObject_CallFunction(mode, "ssOO", op.name, op.overload, given.args.get(),
                                       given.kwargs.get()));
    }
    THPObjectPtr func = own(overload_object(op));
    THPObjectPtr result = call_handler(mode, func.get(), overloaded, given);
    if (result.get() != Py_NotImplemented) return result;
  }
  THPObjectPtr func = own(overload_object(op));
  std::string asked;
  for (PyObject* o : overloaded) {
    THPObjectPtr result =
        call_handler(reinterpret_cast<PyObject*>(Py_TYPE(o)), func.get(), overloaded, given);
    if (result.get() != Py_NotImplemented) return result;
    asked += std::string(asked.empty() ? "" : ", ") + Py_TYPE(o)->tp_name;
  }
  std::string name = at::full_name(op);
  if (const size_t space = name.find("::"); space != std::string::npos) name.replace(space, 2, ".");
  TORCH_CHECK_TYPE(false, "Multiple dispatch failed for 'torch.ops.", name,
                   "'; all __torch_dispatch__ handlers returned NotImplemented: ",
                   asked.empty() ? "the mode" : asked);
  __builtin_unreachable();
}

// --- what kernels do otherwise: versions, and the bases of views --------------------------------

void settle_view(const Tensor& self, const Tensor& view) {
  c10::TensorImpl *from = self.unsafeGetTensorImpl(), *to = view.unsafeGetTensorImpl();
  if (to == from || to->view_base() || from->is_inference() || !has_python_key(view) ||
      !to->has_storage() || !from->has_storage() || !to->storage().is_alias_of(from->storage()))
    return;
  c10::TensorImpl* base = from->view_base() ? from->view_base() : from;
  auto how = from == base ? c10::CreationMeta::Default : from->creation_meta();
  if (how == c10::CreationMeta::Default && !c10::GradMode::is_enabled())
    how = c10::impl::tls_local_state.inference ? c10::CreationMeta::InferenceMode
                                               : c10::CreationMeta::NoGradMode;
  to->set_view_base(c10::intrusive_ptr<c10::TensorImpl>::reclaim_copy(base), how);
}

struct Mutated {
  Tensor tensor;
  uint32_t version;
};

std::vector<Mutated> mutated_arguments(const FunctionSchema& schema, const IValueStack& stack) {
  std::vector<Mutated> found;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (!schema.arguments[i].type.mutates) continue;
    at::for_each_tensor(stack[i], [&](const Tensor& t) {
      if (has_python_key(t)) found.push_back({t, t.unsafeGetTensorImpl()->version()});
    });
  }
  return found;
}

// An operator that is no view returns new tensors, so that a result has a history of its own.
void separate_results(IValueStack& results, const std::vector<Tensor>& inputs) {
  for (IValue& value : results) {
    value = at::with_tensors(value, [&](const Tensor& t) {
      for (const Tensor& input : inputs) {
        if (t.defined() && t.is_same(input)) return autograd::detach_shallow(t);
      }
      return t;
    });
  }
}

// Composite operators that PyTorch has kernels for. Where nothing is differentiated, Python sees
// them as they are.
bool is_whole_without_gradient(const OperatorEntry& op, const IValueStack& stack) {
  const std::string_view name = op.name;
  if (name.substr(0, 15) != "aten::_foreach_" && name != "aten::as_strided_scatter") return false;
  if (!c10::GradMode::is_enabled()) return true;
  bool requires_grad = false;
  for (const IValue& value : stack)
    at::for_each_tensor(value, [&](const Tensor& t) {
      requires_grad |= t.defined() && autograd::requires_grad(t);
    });
  return !requires_grad;
}

void run(void*, const OperatorEntry& op, c10::DispatchKeySet keys, IValueStack& stack) {
  // Autograd has to see the operators that a composite one calls, and so has Python.
  if (at::is_decomposed(op) && !is_whole_without_gradient(op, stack)) {
    if (op.boxed_caller)
      return op.boxed_caller(op, nullptr, keys.below(c10::DispatchKey::Python), stack);
    return at::redispatch_boxed(op, keys.below(c10::DispatchKey::Python), stack);
  }
  gil_scoped_acquire gil;
  const std::vector<PyObject*> overloaded = overloaded_arguments(stack);
  if (overloaded.empty() && dispatch_modes().empty())
    return at::redispatch_boxed(op, keys.below(c10::DispatchKey::Python), stack);
  const FunctionSchema& schema = at::schema_of(op);
  const OperatorEntry& shown = overload_of_call(op, stack);
  PythonArguments given =
      stack_to_dispatched_arguments(at::schema_of(shown), stack, takes_numbers_as_tensors(op.name));
  const std::vector<Mutated> mutated = mutated_arguments(schema, stack);
  const bool is_view = at::is_view(schema) && std::string_view(op.name) != "aten::detach" &&
                       std::string_view(op.name) != "aten::lift_fresh";
  std::vector<Tensor> inputs;
  bool has_history = false;
  for (const IValue& value : stack) {
    at::for_each_tensor(value, [&](const Tensor& t) {
      if (!t.defined()) return;
      inputs.push_back(t);
      has_history |= t.unsafeGetTensorImpl()->has_autograd_key();
    });
  }
  THPObjectPtr result;
  {
    c10::impl::ExcludeDispatchKeyGuard below_autograd(c10::autograd_dispatch_keyset);
    result = ask(shown, overloaded, given);
  }
  stack.clear();
  results_to_stack(schema, result.get(), stack);
  for (const Mutated& m : mutated) {
    c10::TensorImpl* impl = m.tensor.unsafeGetTensorImpl();
    if (impl->version() == m.version) impl->bump_version();
  }
  if (is_view && !inputs.empty()) {
    for (const IValue& value : stack)
      at::for_each_tensor(value, [&](const Tensor& t) {
        if (t.defined()) settle_view(inputs[0], t);
      });
  }
  bool mutates = false;
  for (const auto& a : schema.arguments) mutates |= a.type.mutates;
  if (has_history && !mutates) separate_results(stack, inputs);
}

// The kernel at PreDispatch: composite operators come whole, and nothing has been recorded.
void run_before_dispatch(void*, const OperatorEntry& op, c10::DispatchKeySet keys,
                         IValueStack& stack) {
  gil_scoped_acquire gil;
  if (pre_dispatch_modes().empty())
    return at::redispatch_boxed(op, keys.below(c10::DispatchKey::PreDispatch), stack);
  const OperatorEntry& shown = overload_of_call(op, stack);
  const PythonArguments given =
      stack_to_dispatched_arguments(at::schema_of(shown), stack, takes_numbers_as_tensors(op.name));
  const std::vector<PyObject*> overloaded = overloaded_arguments(stack);
  THPObjectPtr result;
  {
    CurrentMode current(pre_dispatch_modes());
    THPObjectPtr func = own(overload_object(shown));
    result = call_handler(current.mode.object.get(), func.get(), overloaded, given);
    if (result.get() == Py_NotImplemented)
      return at::redispatch_boxed(op, keys.below(c10::DispatchKey::PreDispatch), stack);
  }
  stack.clear();
  results_to_stack(at::schema_of(op), result.get(), stack);
}

c10::intrusive_ptr<c10::TensorImpl> detach_in_python(const c10::TensorImpl& impl) {
  Tensor t(c10::intrusive_ptr<c10::TensorImpl>::reclaim_copy(const_cast<c10::TensorImpl*>(&impl)));
  c10::impl::ExcludeDispatchKeyGuard below_autograd(c10::autograd_dispatch_keyset);
  Tensor detached = at::detach(t);
  TORCH_CHECK(!detached.is_same(t),
              "aten.detach: __torch_dispatch__ returned its argument; a new tensor is needed");
  return detached.getIntrusivePtr();
}

void install() {
  static const int64_t handle = [] {
    c10::impl::set_python_detach(detach_in_python);
    return at::register_fallback(
        c10::DispatchKey::Python,
        at::Override{nullptr, nullptr, run,
                     "__torch_dispatch__ at torch/csrc/dispatch/python_torch_dispatch.cpp"});
  }();
  static_cast<void>(handle);
}

void install_pre_dispatch() {
  static const int64_t handle = at::register_fallback(
      c10::DispatchKey::PreDispatch, at::Override{nullptr, nullptr, run_before_dispatch,
                                                  "__torch_dispatch__ of a pre-dispatch mode at "
                                                  "torch/csrc/dispatch/python_torch_dispatch.cpp"});
  static_cast<void>(handle);
}

}  // namespace

std::vector<DispatchMode>& dispatch_modes() {
  static thread_local std::vector<DispatchMode> modes;
  return modes;
}

std::vector<DispatchMode>& pre_dispatch_modes() {
  static thread_local std::vector<DispatchMode> modes;
  return modes;
}

void use_python_key_tables() { has_python_key_tables = true; }

void update_python_key() {
  uint64_t& included = c10::impl::tls_local_state.included;
  constexpr c10::DispatchKeySet kPreDispatchKey{c10::DispatchKey::PreDispatch};
  if (pre_dispatch_modes().empty()) {
    included &= ~kPreDispatchKey.raw_repr();
  } else {
    install_pre_dispatch();
    included |= kPreDispatchKey.raw_repr();
  }
  if (dispatch_modes().empty()) {
    included &= ~kPythonKey.raw_repr();
  } else {
    install();
    included |= kPythonKey.raw_repr();
  }
}

bool has_torch_dispatch(PyTypeObject* type) {
  if (type == THPVariableClass) return false;
  // Answers that are known, as for __torch_function__: a changed type has another version tag.
  struct Known {
    PyTypeObject* type;
    unsigned int version;
    bool answer;
  };
  static Known known[8];
  Known& slot = known[(reinterpret_cast<uintptr_t>(type) >> 5) % 8];
  if (slot.type == type && slot.version == type->tp_version_tag && slot.version != 0)
    return slot.answer;
  static PyObject* const name = PyUnicode_InternFromString("__torch_dispatch__");
  THPObjectPtr method(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), name));
  THPObjectPtr base(PyObject_GetAttr(reinterpret_cast<PyObject*>(THPVariableClass), name));
  PyErr_Clear();
  const bool answer = method && method.get() != base.get();
  slot = {type, type->tp_version_tag, answer};
  return answer;
}

void set_python_dispatch(const Tensor& t) {
  install();
  c10::TensorImpl* impl = t.unsafeGetTensorImpl();
  impl->set_keys(impl->key_set() | kPythonKey);
}

PyObject* overload_object(const OperatorEntry& op) {
  static auto* known = new std::unordered_map<const OperatorEntry*, PyObject*>;
  PyObject*& found = (*known)[&op];
  if (!found) {
    const std::string_view name = op.name;
    const size_t space = name.find("::");
    THPObjectPtr torch = own(PyImport_ImportModule("torch"));
    THPObjectPtr ops = own(PyObject_GetAttrString(torch.get(), "ops"));
    THPObjectPtr library =
        own(PyObject_GetAttrString(ops.get(), std::string(name.substr(0, space)).c_str()));
    THPObjectPtr packet =
        own(PyObject_GetAttrString(library.get(), std::string(name.substr(space + 2)).c_str()));
    PyObject* made =
        check(PyObject_GetAttrString(packet.get(), *op.overload ? op.overload : "default"));
    (*known)[&op] = made;  // the map may have grown meanwhile
    return Py_NewRef(made);
  }
  return Py_NewRef(found);
}

}  // namespace torch
