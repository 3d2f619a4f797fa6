// The contents of the registry for Python: torch._C._dispatch_dump and similar functions.

#include <torch/csrc/Module.h>

#include <ATen/core/dispatch/DispatchDump.h>
#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/dispatch/KernelOverrides.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <c10/core/impl/BackendLibrary.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/dispatch/python_dispatch_key.h>
#include <torch/csrc/python_containers.h>

namespace torch {

using c10::DispatchKey;
using c10::DispatchKeySet;

namespace {

PyObject* text(const std::string& s) {
  return check(PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())));
}

std::string name_of(PyObject* o, const char* function) {
  const char* name = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : nullptr;
  TORCH_CHECK_TYPE(name, function, "(): expected the name of an operator as a str, got ",
                   Py_TYPE(o)->tp_name);
  return name;
}

const at::OperatorEntry& operator_named(PyObject* o, const char* function) {
  std::string name = name_of(o, function);
  const at::OperatorEntry* op = at::find_operator(name);
  TORCH_CHECK(op, function, "(): operator ", name,
              " does not exist; a name is NAMESPACE::NAME or NAMESPACE::NAME.OVERLOAD");
  return *op;
}

// --- one operator -------------------------------------------------------------------------------

PyObject* dump(PyObject*, PyObject* name) {
  return guarded([&] {
    const at::OperatorEntry* op = at::find_operator(name_of(name, "_dispatch_dump"));
    return text(op ? at::dump_operator(*op) : std::string());
  });
}
PyObject* dump_table(PyObject*, PyObject* name) {
  return guarded([&] {
    const at::OperatorEntry* op = at::find_operator(name_of(name, "_dispatch_dump_table"));
    return text(op ? at::dump_table(*op) : std::string());
  });
}

// A key for each slot of an operator's table.
std::vector<DispatchKey> slot_keys() {
  std::vector<DispatchKey> keys{DispatchKey::Undefined};
  for (int b = 0; b < c10::kNumBackends; ++b)
    keys.push_back(c10::key_of(c10::Functionality::Dense, static_cast<c10::BackendComponent>(b)));
  keys.push_back(DispatchKey::AutogradCPU);
  return keys;
}

// [(dispatch key, name of the function or stub, symbol, file, line)], the outermost function of a
// key first.
PyObject* kernels(PyObject*, PyObject* name) {
  return guarded([&] {
    const at::OperatorEntry& op = operator_named(name, "_dispatch_kernels");
    THPObjectPtr list = own(PyList_New(0));
    auto add = [&](DispatchKey key, const char* kernel, void* address) {
      const c10::CodePlace& place = at::place_of_kernel(address);
      append(list, Py_BuildValue("ssssi", c10::toString(key), kernel, place.function.c_str(),
                                 place.file.c_str(), place.line));
    };
    for (DispatchKey key : slot_keys()) {
      bool known = false;
      if (key == DispatchKey::CUDA && !c10::impl::backend_library_is_loaded(c10::DeviceType::CUDA))
        continue;
      void* kernel = op.table[at::slot_of(key)];
      for (const at::KernelSource* s = op.sources; s && s->name && kernel; ++s) {
        if (s->key != key) continue;
        add(key, s->name, s->stub ? s->stub() : s->function);
        known = true;
      }
      if (!known && kernel) add(key, "", kernel);
    }
    return list;
  });
}

PyObject* has_kernel(PyObject*, PyObject* name) {
  return guarded([&] {
    const at::OperatorEntry* op = at::find_operator(name_of(name, "_dispatch_has_kernel"));
    return PyBool_FromLong(op && !at::registered_keys(*op).empty());
  });
}

template <typename F>
PyObject* query_key(const char* function, PyObject* args, F f) {
  PyObject *name, *key;
  if (!PyArg_UnpackTuple(args, function, 2, 2, &name, &key)) return nullptr;
  return guarded([&] {
    const at::OperatorEntry& op = operator_named(name, function);
    return PyBool_FromLong(f(op, dispatch_key_of(key, function)));
  });
}
PyObject* has_kernel_for_key(PyObject*, PyObject* args) {
  return query_key("_dispatch_has_kernel_for_dispatch_key", args, at::has_registered_kernel);
}
PyObject* has_computed_kernel(PyObject*, PyObject* args) {
  return query_key("_dispatch_has_computed_kernel_for_dispatch_key", args, at::has_computed_kernel);
}
PyObject* is_fallthrough(PyObject*, PyObject* args) {
  return query_key("_dispatch_kernel_for_dispatch_key_is_fallthrough", args,
                   [](const at::OperatorEntry& op, DispatchKey key) {
    return !c10::isAliasDispatchKey(key) && !at::has_computed_kernel(op, key) &&
           !DispatchKeySet(op.considered_keys).has(c10::functionality_of(key));
  });
}
PyObject* has_kernel_for_any(PyObject*, PyObject* args) {
  const char* function = "_dispatch_has_kernel_for_any_dispatch_key";
  PyObject *name, *keys;
  if (!PyArg_UnpackTuple(args, function, 2, 2, &name, &keys)) return nullptr;
  return guarded([&] {
    const at::OperatorEntry& op = operator_named(name, function);
    DispatchKeySet requested = dispatch_key_set_of(keys, function);
    bool any = false;
    for (DispatchKey key : at::registered_keys(op))
      any |= !c10::isAliasDispatchKey(key) && requested.has(key);
    return PyBool_FromLong(any);
  });
}

// --- the registry -------------------------------------------------------------------------------

// The operators with a kernel registered at a key; at any key, without one.
std::vector<std::string> registered_at(PyObject* args, const char* function) {
  PyObject* key = nullptr;
  if (!PyArg_UnpackTuple(args, function, 0, 1, &key)) throw python_error();
  std::vector<std::string> names;
  bool any = !key || (PyUnicode_Check(key) && PyUnicode_GET_LENGTH(key) == 0);
  DispatchKey requested = any ? DispatchKey::Undefined : dispatch_key_of(key, function);
  for (const at::OperatorEntry* op : at::all_operators()) {
    if (any ? !at::registered_keys(*op).empty() : at::has_registered_kernel(*op, requested))
      names.push_back(at::full_name(*op));
  }
  return names;
}
PyObject* get_registrations(PyObject*, PyObject* args) {
  return guarded([&] {
    auto names = registered_at(args, "_dispatch_get_registrations_for_dispatch_key");
    return make_list(names.size(), [&](size_t k) { return text(names[k]); });
  });
}
PyObject* print_registrations(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    for (const auto& name : registered_at(args, "_dispatch_print_registrations_for_dispatch_key"))
      PySys_FormatStdout("%s\n", name.c_str());
    Py_RETURN_NONE;
  });
}

// --- keys ---------------------------------------------------------------------------------------

PyObject* keys(PyObject*, PyObject* o) {
  return guarded([&] {
    TORCH_CHECK_TYPE(THPVariable_Check(o), "_dispatch_keys(): expected a Tensor, got ",
                     Py_TYPE(o)->tp_name);
    return wrap_dispatch_key_set(THPVariable_Unpack(o).key_set());
  });
}
PyObject* key_name(PyObject*, PyObject* o) {
  return guarded([&] { return text(c10::toString(dispatch_key_of(o, "_dispatch_key_name"))); });
}
PyObject* key_parse(PyObject*, PyObject* o) {
  return guarded([&] { return wrap_dispatch_key(dispatch_key_of(o, "_dispatch_key_parse")); });
}
PyObject* is_alias_key(PyObject*, PyObject* o) {
  return guarded([&] {
    DispatchKey key = dispatch_key_of(o, "_dispatch_is_alias_key");
    return PyBool_FromLong(c10::isAliasDispatchKey(key));
  });
}
PyObject* included_set(PyObject*, PyObject*) {
  return wrap_dispatch_key_set(DispatchKeySet(c10::impl::tls_local_state.included));
}
PyObject* excluded_set(PyObject*, PyObject*) {
  return wrap_dispatch_key_set(DispatchKeySet(c10::impl::tls_local_state.effective_excluded));
}
PyObject* is_included(PyObject*, PyObject* o) {
  return guarded([&] {
    return PyBool_FromLong(c10::impl::tls_is_dispatch_key_included(
        dispatch_key_of(o, "_dispatch_tls_is_dispatch_key_included")));
  });
}
PyObject* is_excluded(PyObject*, PyObject* o) {
  return guarded([&] {
    return PyBool_FromLong(c10::impl::tls_is_dispatch_key_excluded(
        dispatch_key_of(o, "_dispatch_tls_is_dispatch_key_excluded")));
  });
}

PyMethodDef functions[] = {
    {"_dispatch_dump", dump, METH_O,
     "Name and schema of an operator, and its kernels as they were registered, a line each. \"\" "
     "where there is no such operator."},
    {"_dispatch_dump_table", dump_table, METH_O,
     "The kernel that a call reaches and why, a line for each dispatch key that has one. \"\" "
     "where there is no such operator."},
    {"_dispatch_kernels", kernels, METH_O,
     "The functions behind an operator's dispatch keys, with file and line."},
    {"_dispatch_has_kernel", has_kernel, METH_O, "Whether an operator has any kernel."},
    {"_dispatch_has_kernel_for_dispatch_key", has_kernel_for_key, METH_VARARGS,
     "(operator, key): whether a kernel is registered at this very key."},
    {"_dispatch_has_computed_kernel_for_dispatch_key", has_computed_kernel, METH_VARARGS,
     "(operator, key): whether a call with this key finds a kernel, an alias key's included."},
    {"_dispatch_kernel_for_dispatch_key_is_fallthrough", is_fallthrough, METH_VARARGS,
     "(operator, key): whether calls pass this key by."},
    {"_dispatch_has_kernel_for_any_dispatch_key", has_kernel_for_any, METH_VARARGS,
     "(operator, DispatchKeySet): whether a kernel is registered at one of the keys."},
    {"_dispatch_get_registrations_for_dispatch_key", get_registrations, METH_VARARGS,
     "The operators that have a kernel registered at a key; at any key, without one."},
    {"_dispatch_print_registrations_for_dispatch_key", print_registrations, METH_VARARGS,
     "Prints them, a line each."},
    {"_dispatch_keys", keys, METH_O, "The DispatchKeySet of a tensor."},
    {"_dispatch_key_name", key_name, METH_O, "The name of a DispatchKey."},
    {"_dispatch_key_parse", key_parse, METH_O, "The DispatchKey of a name."},
    {"_dispatch_is_alias_key", is_alias_key, METH_O,
     "Whether a key stands in registrations only, for several others."},
    {"_dispatch_tls_local_include_set", included_set, METH_NOARGS,
     "Keys that this thread adds to every call."},
    {"_dispatch_tls_local_exclude_set", excluded_set, METH_NOARGS,
     "Keys that this thread takes from every call."},
    {"_dispatch_tls_is_dispatch_key_included", is_included, METH_O, nullptr},
    {"_dispatch_tls_is_dispatch_key_excluded", is_excluded, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool init_dispatch_table(PyObject* module) {
  return init_dispatch_key(module) && PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace torch
