// Finds the arguments that handle a call themselves, and asks them in order; modes; the switches of
// both.

#include <torch/csrc/binding/python_torch_function.h>

#include <utility>
#include <vector>

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>
#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/binding/python_arg_parser.h>
#include <torch/csrc/python_containers.h>
#include <torch/csrc/safe_object.h>
#include <torch/csrc/type_object.h>

namespace torch {

PyObject* disabled_torch_function = nullptr;
static PyObject* s_torch_function = nullptr;  // the interned name
// inside torch._C.DisableTorchFunctionSubclass
static __thread int t_disabled __attribute__((tls_model("initial-exec"))) = 0;
static __thread bool t_skip_next_check =
    false;  // the next question from Python is answered with no
__thread int t_torch_function_modes __attribute__((tls_model("initial-exec"))) = 0;
static thread_local std::vector<SafePyObject> t_modes;  // innermost last

// The types whose answer is known to be "no", so that the attribute need not be looked up again. A
// type that changes its __torch_function__ gets another version tag, and with it another answer.
struct PlainType {
  PyTypeObject* type;
  unsigned int version;
};
static PlainType g_plain[8];

static bool looks_overridden(PyTypeObject* type) {
  THPObjectPtr method(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), s_torch_function));
  if (!method) {
    PyErr_Clear();
    return false;
  }
  return method.get() != disabled_torch_function;
}

bool has_torch_function(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (type == THPVariableClass || type == &PyLong_Type || type == &PyFloat_Type ||
      type == &PyBool_Type || type == &PyUnicode_Type || type == &PyTuple_Type ||
      type == &PyList_Type || o == Py_None) {
    return false;
  }
  if (t_disabled) return false;
  PlainType& slot = g_plain[(reinterpret_cast<uintptr_t>(type) >> 5) % 8];
  if (slot.type == type && slot.version == type->tp_version_tag && slot.version != 0) return false;
  if (looks_overridden(type)) return true;
  slot = {type, type->tp_version_tag};
  return false;
}

static void add_candidate(std::vector<PyObject*>& found, PyObject* o) {
  if (!has_torch_function(o)) return;
  for (PyObject* f : found) {
    if (Py_TYPE(f) == Py_TYPE(o)) return;
  }
  // A subclass comes before its base.
  size_t at = found.size();
  for (size_t i = 0; i < found.size(); ++i) {
    if (PyType_IsSubtype(Py_TYPE(o), Py_TYPE(found[i]))) {
      at = i;
      break;
    }
  }
  found.insert(found.begin() + static_cast<ptrdiff_t>(at), o);
}

static void collect(std::vector<PyObject*>& found, PyObject* o) {
  if (PyTuple_Check(o) || PyList_Check(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      add_candidate(found, PySequence_Fast_ITEMS(o)[i]);
  } else {
    add_candidate(found, o);
  }
}

// torch.NAME or torch._C._nn.NAME, or Tensor.NAME: what the handlers are given as the function.
static THPObjectPtr public_function(const char* name, bool is_method) {
  if (is_method)
    return own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(THPVariableClass), name));
  THPObjectPtr torch = own(PyImport_ImportModule("torch"));
  if (THPObjectPtr function{PyObject_GetAttrString(torch.get(), name)}) return function;
  // A function of an entry with a python_module: torch._C._nn.gelu, torch._C._special.special_erf.
  for (auto* m = operator_modules; m->name; ++m) {
    PyErr_Clear();
    THPObjectPtr module = own(PyImport_ImportModule(m->name));
    if (THPObjectPtr function{PyObject_GetAttrString(module.get(), name)}) return function;
  }
  return own(nullptr);
}

PyObject* handle_torch_function(const char* name, PyObject* self, PyObject* const* args,
                                Py_ssize_t nargs, PyObject* kwnames, PyObject* called) {
  std::vector<PyObject*> found;
  if (self) collect(found, self);
  for (Py_ssize_t i = 0; i < nargs; ++i) collect(found, args[i]);
  Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t k = 0; k < nkw; ++k) collect(found, args[nargs + k]);
  THPObjectPtr function =
      called ? THPObjectPtr::borrow(called) : public_function(name, self != nullptr);
  THPObjectPtr types = make_tuple(found.size(), [&](size_t i) {
    return Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(found[i])));
  });
  const size_t first = self ? 1 : 0;
  THPObjectPtr all = make_tuple(static_cast<size_t>(nargs) + first, [&](size_t i) {
    return Py_NewRef(i < first ? self : args[i - first]);
  });
  THPObjectPtr kwargs = own(PyDict_New());
  for (Py_ssize_t k = 0; k < nkw; ++k) {
    if (PyDict_SetItem(kwargs.get(), PyTuple_GET_ITEM(kwnames, k), args[nargs + k]) < 0)
      throw python_error();
  }
  if (t_torch_function_modes > 0) {
    // The innermost mode goes first, and is not active while it runs.
    SafePyObject mode = std::move(t_modes.back());
    t_modes.pop_back();
    --t_torch_function_modes;
    THPObjectPtr result(PyObject_CallMethod(mode.get(), "__torch_function__", "OOOO",
                                            function.get(), types.get(), all.get(), kwargs.get()));
    t_modes.push_back(std::move(mode));
    ++t_torch_function_modes;
    if (!result) throw python_error();
    if (result.get() != Py_NotImplemented) return result.release();
  }
  for (PyObject* o : found) {
    THPObjectPtr method =
        own(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(o)), s_torch_function));
    THPObjectPtr result = own(PyObject_CallFunctionObjArgs(
        method.get(), function.get(), types.get(), all.get(), kwargs.get(), nullptr));
    if (result.get() != Py_NotImplemented) return result.release();
  }
  std::string types_asked;
  for (PyObject* o : found)
    types_asked += std::string(types_asked.empty() ? "" : ", ") + Py_TYPE(o)->tp_name;
  TORCH_CHECK_TYPE(false, "Multiple dispatch failed for '", self ? "torch.Tensor." : "torch.", name,
                   "'; all __torch_function__ handlers returned NotImplemented: ", types_asked);
  __builtin_unreachable();
}

bool any_torch_function(PyObject* args, PyObject* kwargs) {
  auto any = [](PyObject* o) {
    if (!PyTuple_Check(o) && !PyList_Check(o)) return has_torch_function(o);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
      if (has_torch_function(PySequence_Fast_ITEMS(o)[i])) return true;
    }
    return false;
  };
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    if (any(PyTuple_GET_ITEM(args, i))) return true;
  }
  PyObject *key, *value;
  for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &key, &value);) {
    if (any(value)) return true;
  }
  return false;
}

PyObject* ask_modes(const char* name, PyObject* args, PyObject* kwargs, PyObject* called) {
  std::vector<PyObject*> all;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) all.push_back(PyTuple_GET_ITEM(args, i));
  const auto positional = static_cast<Py_ssize_t>(all.size());
  THPObjectPtr names = own(PyTuple_New(kwargs ? PyDict_Size(kwargs) : 0));
  PyObject *key, *value;
  for (Py_ssize_t at = 0, k = 0; kwargs && PyDict_Next(kwargs, &at, &key, &value); ++k) {
    PyTuple_SET_ITEM(names.get(), k, Py_NewRef(key));
    all.push_back(value);
  }
  return handle_torch_function(name, nullptr, all.data(), positional, names.get(), called);
}

// --- Python's face ------------------------------------------------------------------------------

static PyObject* disabled(PyObject*, PyObject* args) {
  // func(*args, **kwargs) with the overrides switched off.
  PyObject *func, *types, *a, *kw = nullptr;
  if (!PyArg_ParseTuple(args, "OOO|O", &func, &types, &a, &kw)) return nullptr;
  ++t_disabled;
  THPObjectPtr tuple(PySequence_Tuple(a));
  PyObject* result =
      tuple ? PyObject_Call(func, tuple.get(), kw == Py_None ? nullptr : kw) : nullptr;
  --t_disabled;
  return result;
}

static PyObject* disabled_dispatch(PyObject*, PyObject* args) {
  // func(*args, **kwargs) without classes of tensors that answer, and without modes.
  PyObject *func, *types, *a, *kw = nullptr;
  if (!PyArg_ParseTuple(args, "OOO|O", &func, &types, &a, &kw)) return nullptr;
  c10::impl::ExcludeDispatchKeyGuard no_python{c10::DispatchKeySet(c10::DispatchKey::Python)};
  THPObjectPtr tuple(PySequence_Tuple(a));
  return tuple ? PyObject_Call(func, tuple.get(), kw == Py_None ? nullptr : kw) : nullptr;
}

// Functions written in Python ask first of all whether an argument or a mode overrides them.
static bool is_check_skipped() { return std::exchange(t_skip_next_check, false); }

// Set the switch, which the next such question puts back; returns what it was.
static PyObject* skip_next_check(PyObject*, PyObject* on) {
  const int value = PyObject_IsTrue(on);
  if (value < 0) return nullptr;
  return PyBool_FromLong(std::exchange(t_skip_next_check, value != 0));
}

static PyObject* py_has_torch_function(PyObject*, PyObject* args) {
  if (!PyTuple_Check(args) && !PyList_Check(args)) {
    PyErr_SetString(PyExc_TypeError,
                    "has_torch_function(): expected a tuple of the relevant arguments");
    return nullptr;
  }
  if (is_check_skipped()) Py_RETURN_FALSE;
  if (t_torch_function_modes) Py_RETURN_TRUE;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(args); ++i) {
    if (has_torch_function(PySequence_Fast_ITEMS(args)[i])) Py_RETURN_TRUE;
  }
  Py_RETURN_FALSE;
}
static PyObject* py_has_torch_function_unary(PyObject*, PyObject* o) {
  if (is_check_skipped()) Py_RETURN_FALSE;
  return PyBool_FromLong(t_torch_function_modes || has_torch_function(o));
}
static PyObject* py_has_torch_function_variadic(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (is_check_skipped()) Py_RETURN_FALSE;
  if (t_torch_function_modes) Py_RETURN_TRUE;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (has_torch_function(args[i])) Py_RETURN_TRUE;
  }
  Py_RETURN_FALSE;
}
static PyObject* is_enabled(PyObject*, PyObject*) { return PyBool_FromLong(t_disabled == 0); }

// --- modes --------------------------------------------------------------------------------------

static PyObject* push_mode(PyObject*, PyObject* mode) {
  t_modes.push_back(SafePyObject::borrow(mode));
  ++t_torch_function_modes;
  Py_RETURN_NONE;
}
static PyObject* pop_mode(PyObject*, PyObject*) {
  if (t_modes.empty()) {
    PyErr_SetString(PyExc_RuntimeError, "no torch function mode is active");
    return nullptr;
  }
  THPObjectPtr mode = t_modes.back().release();
  t_modes.pop_back();
  --t_torch_function_modes;
  return mode.release();
}
static PyObject* count_modes(PyObject*, PyObject*) { return PyLong_FromSize_t(t_modes.size()); }
static PyObject* mode_at(PyObject*, PyObject* index) {
  Py_ssize_t i = PyLong_AsSsize_t(index);
  if (i == -1 && PyErr_Occurred()) return nullptr;
  if (i < 0 || static_cast<size_t>(i) >= t_modes.size()) {
    PyErr_Format(PyExc_IndexError, "torch function mode %zd of %zu", i, t_modes.size());
    return nullptr;
  }
  return Py_NewRef(t_modes[static_cast<size_t>(i)].get());
}
static PyObject* any_mode(PyObject*, PyObject*) { return PyBool_FromLong(!t_modes.empty()); }

// --- with torch._C.DisableTorchFunctionSubclass(): ----------------------------------------------

struct THPDisable {
  PyObject_HEAD int modes_before;
};
static PyObject* disable_enter(PyObject* o, PyObject*) {
  ++t_disabled;
  Py_INCREF(o);
  return o;
}
static PyObject* disable_exit(PyObject*, PyObject*) {
  --t_disabled;
  Py_RETURN_NONE;
}
static PyObject* disable_all_enter(PyObject* o, PyObject*) {
  ++t_disabled;
  reinterpret_cast<THPDisable*>(o)->modes_before = t_torch_function_modes;
  t_torch_function_modes = 0;
  Py_INCREF(o);
  return o;
}
static PyObject* disable_all_exit(PyObject* o, PyObject*) {
  --t_disabled;
  t_torch_function_modes = reinterpret_cast<THPDisable*>(o)->modes_before;
  Py_RETURN_NONE;
}
static PyMethodDef disable_methods[] = {{"__enter__", disable_enter, METH_NOARGS, nullptr},
                                        {"__exit__", disable_exit, METH_VARARGS, nullptr},
                                        {nullptr, nullptr, 0, nullptr}};
static PyMethodDef disable_all_methods[] = {{"__enter__", disable_all_enter, METH_NOARGS, nullptr},
                                            {"__exit__", disable_all_exit, METH_VARARGS, nullptr},
                                            {nullptr, nullptr, 0, nullptr}};
static PyTypeObject make_guard(const char* name, PyMethodDef* methods, const char* doc) {
  PyTypeObject t = type_object<THPDisable>(name, doc);
  t.tp_new = PyType_GenericNew;
  t.tp_methods = methods;
  return t;
}
static PyTypeObject DisableSubclass = make_guard(
    "torch._C.DisableTorchFunctionSubclass", disable_methods, docs::DisableTorchFunctionSubclass);
static PyTypeObject DisableAll =
    make_guard("torch._C.DisableTorchFunction", disable_all_methods, docs::DisableTorchFunction);

static PyMethodDef methods[] = {
    {"_disabled_torch_function_impl", disabled, METH_VARARGS,
     "Calls func(*args, **kwargs) without looking for __torch_function__: assigned to "
     "__torch_function__, it makes a subclass behave as a plain tensor."},
    {"_has_torch_function", py_has_torch_function, METH_O, docs::_has_torch_function},
    {"_has_torch_function_unary", py_has_torch_function_unary, METH_O,
     docs::_has_torch_function_unary},
    {"_has_torch_function_variadic",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(py_has_torch_function_variadic)),
     METH_FASTCALL, docs::_has_torch_function_variadic},
    {"_skip_next_torch_function_check", skip_next_check, METH_O, nullptr},
    {"_push_on_torch_function_stack", push_mode, METH_O, nullptr},
    {"_pop_torch_function_stack", pop_mode, METH_NOARGS, nullptr},
    {"_len_torch_function_stack", count_modes, METH_NOARGS, nullptr},
    {"_get_function_stack_at", mode_at, METH_O, nullptr},
    {"_is_torch_function_mode_enabled", any_mode, METH_NOARGS, nullptr},
    {"_disabled_torch_dispatch_impl", disabled_dispatch, METH_VARARGS, nullptr},
    {"_is_torch_function_enabled", is_enabled, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

bool init_torch_function(PyObject* module) {
  s_torch_function = PyUnicode_InternFromString("__torch_function__");
  if (!s_torch_function || PyModule_AddFunctions(module, methods) < 0) return false;
  disabled_torch_function = PyObject_GetAttrString(module, "_disabled_torch_function_impl");
  return disabled_torch_function && add_type(module, DisableSubclass) &&
         add_type(module, DisableAll);
}

}  // namespace torch
