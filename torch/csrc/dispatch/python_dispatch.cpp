// The registry from Python: what stands behind torch.ops and torch.library.

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_arg_parser.h>
#include <torch/csrc/binding/python_torch_function.h>
#include <torch/csrc/dispatch/python_dispatch_key.h>
#include <torch/csrc/dispatch/python_ivalue.h>
#include <torch/csrc/gil.h>
#include <torch/csrc/python_containers.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

#include <ATen/core/dispatch/BoxedCall.h>
#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelRegistrations.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <ATen/core/ivalue.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Logging.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace torch {

using at::IValueStack;
using at::OperatorEntry;

namespace {

std::string text_of(PyObject* o, const char* what) {
  TORCH_CHECK_TYPE(PyUnicode_Check(o), what, " must be a string, not ", Py_TYPE(o)->tp_name);
  const char* s = PyUnicode_AsUTF8(o);
  if (!s) throw python_error();
  return s;
}

OperatorEntry& find(PyObject* name, PyObject* overload) {
  std::string n = text_of(name, "operator name"), o = text_of(overload, "overload name");
  OperatorEntry* op = at::find_operator(n, o);
  TORCH_CHECK(op, "there is no operator ", n, o.empty() ? "" : ".", o);
  return *op;
}

PyObject* py_text(const std::string& s) {
  return PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}

PyObject* all_op_names(PyObject*, PyObject*) {
  return guarded([] {
    THPObjectPtr list = own(PyList_New(0));
    for (OperatorEntry* op : at::all_operators()) append(list, py_text(at::full_name(*op)));
    return list;
  });
}

PyObject* overloads(PyObject*, PyObject* name) {
  return guarded([&] {
    std::vector<std::string> names = at::overload_names(text_of(name, "operator name"));
    return make_list(names.size(), [&](size_t i) { return py_text(names[i]); });
  });
}

PyObject* get_schema(PyObject*, PyObject* args) {
  PyObject *n, *o;
  if (!PyArg_ParseTuple(args, "OO", &n, &o)) return nullptr;
  return guarded([&] { return PyUnicode_FromString(find(n, o).schema); });
}

// The schema as data: ([(name, type, default text or None, keyword only, mutates)], [(name, type)])
PyObject* parse_schema(PyObject*, PyObject* text) {
  return guarded([&] {
    at::FunctionSchema s = at::parse_schema(text_of(text, "schema"));
    auto flag = [](bool on) { return on ? Py_True : Py_False; };
    THPObjectPtr args = make_list(s.arguments.size(), [&](size_t i) {
      const auto& a = s.arguments[i];
      // "z" is None where there is no default.
      return Py_BuildValue("(sszOO)", a.name.c_str(), a.type.str().c_str(),
                           a.has_default ? a.default_value.c_str() : nullptr, flag(a.kwarg_only),
                           flag(a.type.mutates));
    });
    THPObjectPtr returns = make_list(s.returns.size(), [&](size_t i) {
      return Py_BuildValue("(ss)", s.returns[i].name.c_str(), s.returns[i].type.str().c_str());
    });
    return Py_BuildValue("(ssOO)", s.name.c_str(), s.overload.c_str(), args.get(), returns.get());
  });
}

// The generated overload of an entry, which calls without boxing.
const Overload* generated_overload(const OperatorEntry& op, const Binding*& binding) {
  const char* plain = std::strstr(op.name, "::");
  binding = plain ? find_binding(plain + 2) : nullptr;
  for (int i = 0; binding && i < binding->count; ++i) {
    if (binding->overloads[i].entry == &op) return &binding->overloads[i];
  }
  return nullptr;
}

// A call by schema: arguments to the stack, dispatch by their keys, results back.
PyObject* boxed_call(OperatorEntry& op, PyObject* args, PyObject* kwargs) {
  const at::FunctionSchema& schema = at::schema_of(op);
  IValueStack stack = arguments_to_stack(schema, args, kwargs);
  at::call_boxed(op, stack);
  return stack_to_python(schema, stack);
}

// _dispatch_call_for_keys(name, overload, keys, args, kwargs): the kernel of the highest key of a
// set.
PyObject* call_for_keys(PyObject*, PyObject* all) {
  PyObject *n, *o, *keys, *args, *kwargs;
  if (!PyArg_ParseTuple(all, "OOOO!O!", &n, &o, &keys, &PyTuple_Type, &args, &PyDict_Type, &kwargs))
    return nullptr;
  return guarded([&] {
    const OperatorEntry& op = find(n, o);
    const at::FunctionSchema& schema = at::schema_of(op);
    IValueStack stack = arguments_to_stack(schema, args, kwargs);
    at::redispatch_boxed(op, dispatch_key_set_of(keys, "redispatch"), stack);
    return stack_to_python(schema, stack);
  });
}

// _dispatch_decompose(name, overload, args, kwargs): what a composite operator computes from
// others; NotImplemented for operators with kernels.
PyObject* decompose(PyObject*, PyObject* all) {
  PyObject *n, *o, *args, *kwargs;
  if (!PyArg_ParseTuple(all, "OOO!O!", &n, &o, &PyTuple_Type, &args, &PyDict_Type, &kwargs))
    return nullptr;
  return guarded([&]() -> PyObject* {
    const OperatorEntry& op = find(n, o);
    if (!at::is_decomposed(op)) Py_RETURN_NOTIMPLEMENTED;
    const at::FunctionSchema& schema = at::schema_of(op);
    IValueStack stack = arguments_to_stack(schema, args, kwargs);
    const c10::DispatchKeySet cpu{c10::DispatchKey::CPU};
    if (op.boxed_caller) {
      op.boxed_caller(op, at::generated_kernel(op, c10::DispatchKey::Undefined), cpu, stack);
    } else {
      at::redispatch_boxed(op, cpu, stack);
    }
    return stack_to_python(schema, stack);
  });
}
PyObject* can_decompose(PyObject*, PyObject* args) {
  PyObject *n, *o;
  if (!PyArg_ParseTuple(args, "OO", &n, &o)) return nullptr;
  return guarded([&] { return PyBool_FromLong(at::is_decomposed(find(n, o))); });
}

// torch._C._OperatorHandle: calls one overload, or the first of all overloads that takes the
// arguments.
// `owner` is a weak reference to the object of torch.ops, which overrides get as the function.
struct THPOperator {
  PyObject_HEAD std::vector<OperatorEntry*>* entries;
  PyObject* owner;
};

// Arguments in vectorcall's layout; the schema's `self` is the Python argument `input` there.
struct VectorArguments {
  VectorArguments(PyObject* args, PyObject* kwargs)
      : num_positional(PyTuple_GET_SIZE(args)), names(own(PyTuple_New(count(kwargs)))) {
    for (Py_ssize_t i = 0; i < num_positional; ++i) items.push_back(PyTuple_GET_ITEM(args, i));
    PyObject *key, *value;
    Py_ssize_t pos = 0, at = 0;
    while (kwargs && PyDict_Next(kwargs, &pos, &key, &value)) {
      PyObject* k = PyUnicode_CompareWithASCIIString(key, "self") == 0
                        ? PyUnicode_InternFromString("input")
                        : (Py_INCREF(key), key);
      PyTuple_SET_ITEM(names.get(), at++, check(k));
      items.push_back(value);
    }
  }

  PyObject* keywords() { return PyTuple_GET_SIZE(names.get()) ? names.get() : nullptr; }

  c10::SmallVector<PyObject*, 8> items;  // borrowed
  Py_ssize_t num_positional;

 private:
  static Py_ssize_t count(PyObject* kwargs) { return kwargs ? PyDict_GET_SIZE(kwargs) : 0; }

  THPObjectPtr names;
};

size_t num_required(const at::FunctionSchema& schema) {
  return static_cast<size_t>(std::count_if(schema.arguments.begin(), schema.arguments.end(),
                                           [](const auto& a) { return !a.has_default; }));
}

// Whether an exception says that the arguments do not fit the overload.
template <typename F>
PyObject* call_unless_type_error(const F& call, bool& fits) {
  try {
    return call();
  } catch (const c10::TypeError&) {
    fits = false;
  } catch (python_error& e) {
    if (!e.type || !PyErr_GivenExceptionMatches(e.type.get(), PyExc_TypeError)) throw;
    fits = false;
  }
  return nullptr;
}

PyObject* operator_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    const auto& entries = *reinterpret_cast<THPOperator*>(self)->entries;
    if (C10_UNLIKELY(t_torch_function_modes || any_torch_function(args, kwargs))) {
      PyObject* weak = reinterpret_cast<THPOperator*>(self)->owner;
      THPObjectPtr owner = THPObjectPtr::borrow(weak ? PyWeakref_GetObject(weak) : Py_None);
      if (owner.get() != Py_None) return ask_modes(entries[0]->name, args, kwargs, owner.get());
    }
    VectorArguments given(args, kwargs);
    for (size_t i = 0; i < entries.size(); ++i) {
      const bool last = i + 1 == entries.size();
      bool fits = true;
      PyObject* result;
      const Binding* binding;
      if (const Overload* overload = generated_overload(*entries[i], binding)) {
        result = call_overload(*binding, *overload, given.items.data(), given.num_positional,
                               given.keywords(), last ? nullptr : &fits);
      } else if (last) {
        result = boxed_call(*entries[i], args, kwargs);
      } else if (given.items.size() < num_required(at::schema_of(*entries[i]))) {
        continue;  // an exception would take microseconds
      } else {
        result =
            call_unless_type_error([&] { return boxed_call(*entries[i], args, kwargs); }, fits);
      }
      if (fits) return check(result);
    }
    Py_RETURN_NONE;
  });
}
PyObject* operator_set_owner(PyObject* self, PyObject* owner) {
  return guarded([&]() -> PyObject* {
    THPObjectPtr before(std::exchange(reinterpret_cast<THPOperator*>(self)->owner,
                                      check(PyWeakref_NewRef(owner, nullptr))));
    Py_RETURN_NONE;
  });
}
PyMethodDef operator_methods[] = {
    {"_set_owner", operator_set_owner, METH_O,
     "The object that __torch_function__ gets as the function; it is not kept alive."},
    {nullptr, nullptr, 0, nullptr}};
void operator_dealloc(PyObject* self) {
  delete reinterpret_cast<THPOperator*>(self)->entries;
  THPObjectPtr owner(reinterpret_cast<THPOperator*>(self)->owner);
  Py_TYPE(self)->tp_free(self);
}
PyTypeObject OperatorType = [] {
  PyTypeObject t = type_object<THPOperator>("torch._C._OperatorHandle");
  t.tp_call = operator_call;
  t.tp_dealloc = operator_dealloc;
  t.tp_methods = operator_methods;
  return t;
}();
PyObject* make_operator(std::vector<OperatorEntry*> entries) {
  auto* o = reinterpret_cast<THPOperator*>(check(OperatorType.tp_alloc(&OperatorType, 0)));
  o->entries = new std::vector<OperatorEntry*>(std::move(entries));
  o->owner = nullptr;
  return reinterpret_cast<PyObject*>(o);
}

// _jit_get_operation("aten::add") -> (callable over all overloads, [overload names]), or (None,
// None)
PyObject* get_operation(PyObject*, PyObject* name) {
  return guarded([&]() -> PyObject* {
    std::string n = text_of(name, "operator name");
    std::vector<std::string> names = at::overload_names(n);
    if (names.empty()) return Py_BuildValue("(OO)", Py_None, Py_None);
    std::vector<OperatorEntry*> entries;
    for (const std::string& o : names) entries.push_back(at::find_operator(n, o));
    THPObjectPtr list = make_list(names.size(), [&](size_t i) { return py_text(names[i]); });
    THPObjectPtr handle = own(make_operator(std::move(entries)));
    return Py_BuildValue("(OO)", handle.get(), list.get());
  });
}
// _get_operation_overload("aten::add", "Tensor") -> (callable, None, [])
PyObject* get_operation_overload(PyObject*, PyObject* args) {
  PyObject *n, *o;
  if (!PyArg_ParseTuple(args, "OO", &n, &o)) return nullptr;
  return guarded([&] { return Py_BuildValue("(NO[])", make_operator({&find(n, o)}), Py_None); });
}

struct THPBelowAutograd {
  PyObject_HEAD uint64_t before;
};
PyObject* below_enter(PyObject* o, PyObject*) {
  reinterpret_cast<THPBelowAutograd*>(o)->before = c10::impl::tls_local_state.excluded;
  c10::impl::set_excluded(c10::impl::tls_local_state.excluded |
                          c10::autograd_dispatch_keyset.raw_repr());
  Py_INCREF(o);
  return o;
}
PyObject* below_exit(PyObject* o, PyObject*) {
  c10::impl::set_excluded(reinterpret_cast<THPBelowAutograd*>(o)->before);
  Py_RETURN_NONE;
}
PyMethodDef below_methods[] = {{"__enter__", below_enter, METH_NOARGS, nullptr},
                               {"__exit__", below_exit, METH_VARARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};
PyTypeObject BelowAutogradType = [] {
  PyTypeObject t = type_object<THPBelowAutograd>("torch._C._AutoDispatchBelowAutograd");
  t.tp_new = PyType_GenericNew;
  t.tp_methods = below_methods;
  return t;
}();

// --- registration -------------------------------------------------------------------------------

struct PyKernel {
  THPObjectPtr function;
};

void run_python_kernel(void* state, const OperatorEntry& op, c10::DispatchKeySet,
                       IValueStack& stack) {
  auto* kernel = static_cast<PyKernel*>(state);
  gil_scoped_acquire gil;
  const at::FunctionSchema& schema = at::schema_of(op);
  THPObjectPtr result;
  {
    PythonArguments given = stack_to_arguments(schema, stack);
    result = own(PyObject_Call(kernel->function.get(), given.args.get(), given.kwargs.get()));
  }
  stack.clear();
  results_to_stack(schema, result.get(), stack);
}

PyObject* define(PyObject*, PyObject* args) {
  PyObject *schema, *place;
  if (!PyArg_ParseTuple(args, "OO", &schema, &place)) return nullptr;
  return guarded([&]() -> PyObject* {
    OperatorEntry* op = at::define_operator(text_of(schema, "schema"), text_of(place, "place"));
    C10_LOG_ARTIFACT(Registration, "def ", op->schema, " from Python");
    return Py_BuildValue("(ss)", op->name, op->overload);
  });
}
PyObject* undefine(PyObject*, PyObject* args) {
  PyObject *n, *o;
  if (!PyArg_ParseTuple(args, "OO", &n, &o)) return nullptr;
  return guarded([&]() -> PyObject* {
    at::remove_operator(&find(n, o));
    Py_RETURN_NONE;
  });
}
// _dispatch_impl(name, overload, key, fn, debug) -> handle
PyObject* impl(PyObject*, PyObject* args) {
  PyObject *n, *o, *k, *fn, *debug;
  if (!PyArg_ParseTuple(args, "OOOOO", &n, &o, &k, &fn, &debug)) return nullptr;
  return guarded([&]() -> PyObject* {
    c10::DispatchKey key = dispatch_key_of(k, "impl");
    TORCH_CHECK_TYPE(PyCallable_Check(fn), "impl(): expected a callable, got ",
                     Py_TYPE(fn)->tp_name);
    at::Override kernel;
    // It stays: a call may be under way when it is unregistered.
    kernel.state = new PyKernel{THPObjectPtr::borrow(fn)};
    kernel.boxed = run_python_kernel;
    kernel.debug = text_of(debug, "debug text");
    OperatorEntry& op = find(n, o);
    C10_LOG_ARTIFACT(Registration, "impl ", at::full_name(op), " for ", c10::toString(key), " by ",
                     kernel.debug);
    return PyLong_FromLongLong(at::register_override(op, key, std::move(kernel)));
  });
}
PyObject* unimpl(PyObject*, PyObject* args) {
  PyObject *n, *o;
  long long handle;
  if (!PyArg_ParseTuple(args, "OOL", &n, &o, &handle)) return nullptr;
  return guarded([&]() -> PyObject* {
    if (OperatorEntry* op = at::find_operator(text_of(n, "name"), text_of(o, "overload")))
      at::unregister_override(*op, handle);
    Py_RETURN_NONE;
  });
}

// A fallback gets the operator's name, the overload's, and the arguments.
void run_python_fallback(void* state, const OperatorEntry& op, c10::DispatchKeySet,
                         IValueStack& stack) {
  gil_scoped_acquire gil;
  const at::FunctionSchema& schema = at::schema_of(op);
  THPObjectPtr result;
  {
    PythonArguments given = stack_to_arguments(schema, stack);
    result = own(PyObject_CallFunction(static_cast<PyKernel*>(state)->function.get(), "ssOO",
                                       op.name, op.overload, given.args.get(), given.kwargs.get()));
  }
  stack.clear();
  results_to_stack(schema, result.get(), stack);
}
// _dispatch_fallback(key, fn, debug) -> handle
PyObject* fallback(PyObject*, PyObject* args) {
  PyObject *k, *fn, *debug;
  if (!PyArg_ParseTuple(args, "OOO", &k, &fn, &debug)) return nullptr;
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyCallable_Check(fn), "fallback(): expected a callable, got ",
                     Py_TYPE(fn)->tp_name);
    at::Override kernel;
    kernel.state = new PyKernel{THPObjectPtr::borrow(fn)};  // it stays, as those of operators do
    kernel.boxed = run_python_fallback;
    kernel.debug = text_of(debug, "debug text");
    return PyLong_FromLongLong(
        at::register_fallback(dispatch_key_of(k, "fallback"), std::move(kernel)));
  });
}
PyObject* unfallback(PyObject*, PyObject* handle) {
  return guarded([&]() -> PyObject* {
    at::unregister_fallback(to_int64(handle));
    Py_RETURN_NONE;
  });
}

PyObject* refuse_backward(PyObject*, PyObject* args) {
  PyObject *n, *o;
  if (!PyArg_ParseTuple(args, "OO", &n, &o)) return nullptr;
  return guarded([&]() -> PyObject* {
    at::set_refuses_backward(find(n, o));
    Py_RETURN_NONE;
  });
}

constexpr const char* kFallbackModes[] = {"nothing", "warn", "error"};

PyObject* set_fallback_mode(PyObject*, PyObject* mode) {
  return guarded([&]() -> PyObject* {
    std::string name = text_of(mode, "mode");
    for (int i = 0; i < 3; ++i) {
      if (name != kFallbackModes[i]) continue;
      autograd::set_autograd_fallback_mode(static_cast<autograd::AutogradFallbackMode>(i));
      Py_RETURN_NONE;
    }
    TORCH_CHECK(false, "_set_autograd_fallback_mode: mode is one of nothing, warn, error; got ",
                name);
    return nullptr;
  });
}
PyObject* get_fallback_mode(PyObject*, PyObject*) {
  return PyUnicode_FromString(kFallbackModes[static_cast<int>(autograd::autograd_fallback_mode())]);
}

PyObject* trace(PyObject*, PyObject* on) {
  int b = PyObject_IsTrue(on);
  if (b < 0) return nullptr;
  at::set_dispatch_trace(b);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_dispatch_get_all_op_names", all_op_names, METH_NOARGS,
     "The names of all operators, with their overloads."},
    {"_dispatch_overloads", overloads, METH_O, nullptr},
    {"_dispatch_get_schema", get_schema, METH_VARARGS, nullptr},
    {"_dispatch_parse_schema", parse_schema, METH_O, nullptr},
    {"_jit_get_operation", get_operation, METH_O, nullptr},
    {"_get_operation_overload", get_operation_overload, METH_VARARGS, nullptr},
    {"_dispatch_call_for_keys", call_for_keys, METH_VARARGS, nullptr},
    {"_dispatch_decompose", decompose, METH_VARARGS, nullptr},
    {"_dispatch_can_decompose", can_decompose, METH_VARARGS, nullptr},
    {"_dispatch_define", define, METH_VARARGS, nullptr},
    {"_dispatch_undefine", undefine, METH_VARARGS, nullptr},
    {"_dispatch_impl", impl, METH_VARARGS, nullptr},
    {"_dispatch_fallback", fallback, METH_VARARGS, nullptr},
    {"_dispatch_unfallback", unfallback, METH_O, nullptr},
    {"_dispatch_unimpl", unimpl, METH_VARARGS, nullptr},
    {"_dispatch_refuse_backward", refuse_backward, METH_VARARGS, nullptr},
    {"_set_autograd_fallback_mode", set_fallback_mode, METH_O,
     "What backward does at an operator without an autograd kernel: nothing, warn or error."},
    {"_get_autograd_fallback_mode", get_fallback_mode, METH_NOARGS, nullptr},
    {"_set_dispatch_trace", trace, METH_O,
     "Switches the dispatch trace of TORCH_SHOW_DISPATCH_TRACE."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_dispatch(PyObject* module) {
  return add_type(module, OperatorType) && add_type(module, BelowAutogradType) &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace torch
