// The stack of dispatch modes from Python: Note [Python dispatch].

#include <torch/csrc/Module.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/dispatch/python_dispatch_key.h>
#include <torch/csrc/dispatch/python_torch_dispatch.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

#include <c10/core/impl/LocalDispatchKeySet.h>

// debug/active_modes.cpp
extern "C" const char* torch_active_modes();

namespace torch {
namespace {

// The library's own modes carry the key that says where they stand: mode._mode_key.value.
int rank_of(PyObject* mode) {
  THPObjectPtr key(PyObject_GetAttrString(mode, "_mode_key"));
  if (!key || key.get() == Py_None) {
    PyErr_Clear();
    return kUserMode;
  }
  THPObjectPtr value = own(PyObject_GetAttrString(key.get(), "value"));
  return static_cast<int>(to_int64(value.get()));
}

void insert(PyObject* mode, bool is_function, int rank) {
  auto& modes = dispatch_modes();
  auto place = modes.end();
  while (place != modes.begin() && std::prev(place)->rank > rank) --place;
  modes.insert(place, DispatchMode{SafePyObject::borrow(mode), is_function, rank});
  update_python_key();
}

PyObject* remove(size_t index) {
  auto& modes = dispatch_modes();
  THPObjectPtr mode = modes[index].object.release();
  modes.erase(modes.begin() + static_cast<ptrdiff_t>(index));
  update_python_key();
  return mode.release();
}

// The place of the mode with a key of the library's own; -1 without one.
int64_t find(PyObject* key) {
  THPObjectPtr value = own(PyObject_GetAttrString(key, "value"));
  const int64_t rank = to_int64(value.get());
  const auto& modes = dispatch_modes();
  for (size_t i = 0; i < modes.size(); ++i) {
    if (modes[i].rank == rank) return static_cast<int64_t>(i);
  }
  return -1;
}

PyObject* push_function(PyObject*, PyObject* mode) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyCallable_Check(mode), "_push_dispatch_mode(): expected a callable, got ",
                     Py_TYPE(mode)->tp_name);
    insert(mode, true, kUserMode);
    Py_RETURN_NONE;
  });
}

PyObject* pop_function(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK(!dispatch_modes().empty(), "_pop_dispatch_mode(): there is none");
    return remove(dispatch_modes().size() - 1);
  });
}

PyObject* push(PyObject*, PyObject* mode) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(
        PyObject_HasAttrString(mode, "__torch_dispatch__"),
        "_push_on_torch_dispatch_stack(): expected a mode with __torch_dispatch__, got ",
        Py_TYPE(mode)->tp_name);
    const int rank = rank_of(mode);
    if (rank < kUserMode) {
      for (const DispatchMode& other : dispatch_modes())
        TORCH_CHECK(other.rank != rank, "a mode of the kind ", Py_TYPE(mode)->tp_name,
                    " is on already; leave it before another is entered");
    }
    insert(mode, false, rank);
    Py_RETURN_NONE;
  });
}

PyObject* pop(PyObject*, PyObject* args) {
  PyObject* key = Py_None;
  if (!PyArg_ParseTuple(args, "|O", &key)) return nullptr;
  return guarded([&]() -> PyObject* {
    const int64_t at =
        key == Py_None ? static_cast<int64_t>(dispatch_modes().size()) - 1 : find(key);
    TORCH_CHECK(at >= 0, "_pop_torch_dispatch_stack(): there is no such mode");
    return remove(static_cast<size_t>(at));
  });
}

PyObject* length(PyObject*, PyObject*) { return PyLong_FromSize_t(dispatch_modes().size()); }

PyObject* mode_at(PyObject*, PyObject* index) {
  return guarded([&]() -> PyObject* {
    const int64_t i = to_int64(index);
    TORCH_CHECK_INDEX(i >= 0 && i < static_cast<int64_t>(dispatch_modes().size()),
                      "_get_dispatch_stack_at(): there are ", dispatch_modes().size(),
                      " modes, got ", i);
    return Py_NewRef(dispatch_modes()[static_cast<size_t>(i)].object.get());
  });
}

PyObject* get_mode(PyObject*, PyObject* key) {
  return guarded([&]() -> PyObject* {
    const int64_t at = find(key);
    return Py_NewRef(at < 0 ? Py_None : dispatch_modes()[static_cast<size_t>(at)].object.get());
  });
}

PyObject* unset_mode(PyObject*, PyObject* key) {
  return guarded([&]() -> PyObject* {
    const int64_t at = find(key);
    if (at < 0) Py_RETURN_NONE;
    return remove(static_cast<size_t>(at));
  });
}

PyObject* push_pre(PyObject*, PyObject* mode) {
  return guarded([&]() -> PyObject* {
    TORCH_CHECK_TYPE(PyObject_HasAttrString(mode, "__torch_dispatch__"),
                     "_push_pre_dispatch_mode(): expected a mode with __torch_dispatch__, got ",
                     Py_TYPE(mode)->tp_name);
    pre_dispatch_modes().push_back(DispatchMode{SafePyObject::borrow(mode), false, kUserMode});
    update_python_key();
    Py_RETURN_NONE;
  });
}
PyObject* pop_pre(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    auto& modes = pre_dispatch_modes();
    TORCH_CHECK(!modes.empty(), "_pop_pre_dispatch_mode(): there is none");
    THPObjectPtr mode = modes.back().object.release();
    modes.pop_back();
    update_python_key();
    return mode.release();
  });
}
PyObject* count_pre(PyObject*, PyObject*) { return PyLong_FromSize_t(pre_dispatch_modes().size()); }

PyObject* active_modes(PyObject*, PyObject*) { return PyUnicode_FromString(torch_active_modes()); }

PyObject* use_python_kernels(PyObject*, PyObject*) {
  use_python_key_tables();
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_push_pre_dispatch_mode", push_pre, METH_O,
     "Enters a mode that sees calls before all other layers."},
    {"_pop_pre_dispatch_mode", pop_pre, METH_NOARGS, "Leaves the innermost of these modes."},
    {"_len_pre_dispatch_stack", count_pre, METH_NOARGS, "The number of these modes."},
    {"_active_modes", active_modes, METH_NOARGS,
     "A line for each mode, transform and dispatch key that calls of this thread meet."},
    {"_set_symbolic_types", set_symbolic_types, METH_VARARGS,
     "The classes SymInt, SymFloat and SymBool, whose traced values operators get."},
    {"_use_python_key_tables", use_python_kernels, METH_NOARGS,
     "From now on, OpOverload.python_key_table is asked before __torch_dispatch__."},
    {"_push_dispatch_mode", push_function, METH_O, nullptr},
    {"_pop_dispatch_mode", pop_function, METH_NOARGS, nullptr},
    {"_push_on_torch_dispatch_stack", push, METH_O, "Enters a mode."},
    {"_pop_torch_dispatch_stack", pop, METH_VARARGS,
     "Leaves the innermost mode, or the one with a key of the library's own, and returns it."},
    {"_len_torch_dispatch_stack", length, METH_NOARGS, "The number of this thread's modes."},
    {"_get_dispatch_stack_at", mode_at, METH_O, "The mode at an index, the outermost first."},
    {"_set_dispatch_mode", push, METH_O, "Enters a mode of the library's own."},
    {"_get_dispatch_mode", get_mode, METH_O, "The library's own mode of this key, or None."},
    {"_unset_dispatch_mode", unset_mode, METH_O,
     "Leaves the library's own mode of this key and returns it; None without one."},
    {nullptr, nullptr, 0, nullptr}};

// --- guards: with torch._C._DisableTorchDispatch(): ... -----------------------------------------

struct THPKeyGuard {
  PyObject_HEAD uint64_t include, exclude;
  uint64_t included_before, excluded_before;
};

PyObject* guard_enter(PyObject* o, PyObject*) {
  auto* self = reinterpret_cast<THPKeyGuard*>(o);
  c10::impl::LocalState& tls = c10::impl::tls_local_state;
  self->included_before = tls.included;
  self->excluded_before = tls.excluded;
  tls.included |= self->include;
  c10::impl::set_excluded(tls.excluded | self->exclude);
  return Py_NewRef(o);
}
PyObject* guard_exit(PyObject* o, PyObject*) {
  auto* self = reinterpret_cast<THPKeyGuard*>(o);
  c10::impl::tls_local_state.included = self->included_before;
  c10::impl::set_excluded(self->excluded_before);
  Py_RETURN_NONE;
}
PyMethodDef guard_methods[] = {{"__enter__", guard_enter, METH_NOARGS, nullptr},
                               {"__exit__", guard_exit, METH_VARARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};

PyObject* make_guard(PyTypeObject* type, c10::DispatchKeySet include, c10::DispatchKeySet exclude) {
  PyObject* o = check(type->tp_alloc(type, 0));
  reinterpret_cast<THPKeyGuard*>(o)->include = include.raw_repr() & ~c10::DispatchKeySet::kBackends;
  reinterpret_cast<THPKeyGuard*>(o)->exclude = exclude.raw_repr();
  return o;
}
PyObject* disable_new(PyTypeObject* type, PyObject*, PyObject*) {
  return guarded(
      [&] { return make_guard(type, {}, c10::DispatchKeySet(c10::DispatchKey::Python)); });
}
template <bool include>
PyObject* keys_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* keys;
  if (!PyArg_ParseTuple(args, "O", &keys)) return nullptr;
  return guarded([&] {
    const c10::DispatchKeySet set = dispatch_key_set_of(keys, type->tp_name);
    return include ? make_guard(type, set, {}) : make_guard(type, {}, set);
  });
}
// _ForceDispatchKeyGuard(included, excluded): exactly these keys.
PyObject* force_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *include, *exclude;
  if (!PyArg_ParseTuple(args, "OO", &include, &exclude)) return nullptr;
  return guarded([&] {
    return make_guard(type, dispatch_key_set_of(include, type->tp_name),
                      dispatch_key_set_of(exclude, type->tp_name));
  });
}
PyObject* force_enter(PyObject* o, PyObject*) {
  auto* self = reinterpret_cast<THPKeyGuard*>(o);
  c10::impl::LocalState& tls = c10::impl::tls_local_state;
  self->included_before = tls.included;
  self->excluded_before = tls.excluded;
  tls.included = self->include;
  c10::impl::set_excluded(self->exclude);
  return Py_NewRef(o);
}
PyMethodDef force_methods[] = {{"__enter__", force_enter, METH_NOARGS, nullptr},
                               {"__exit__", guard_exit, METH_VARARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};
PyObject* preserve_new(PyTypeObject* type, PyObject*, PyObject*) {
  return guarded([&] { return make_guard(type, {}, {}); });
}
PyTypeObject guard_type(const char* name, const char* doc, newfunc make) {
  PyTypeObject t = type_object<THPKeyGuard>(name, doc);
  t.tp_new = make;
  t.tp_methods = guard_methods;
  return t;
}
PyTypeObject DisableTorchDispatch =
    guard_type("torch._C._DisableTorchDispatch",
               "A block in which neither modes nor classes of tensors answer calls.", disable_new);
PyTypeObject ExcludeKeys = guard_type(
    "torch._C._ExcludeDispatchKeyGuard",
    "A block without some dispatch keys: _ExcludeDispatchKeyGuard(key_set).", keys_new<false>);
PyTypeObject IncludeKeys = guard_type("torch._C._IncludeDispatchKeyGuard",
                                      "A block in which every call has some dispatch keys: "
                                      "_IncludeDispatchKeyGuard(key_set).",
                                      keys_new<true>);
PyTypeObject PreserveKeys = guard_type(
    "torch._C._PreserveDispatchKeyGuard",
    "A block after which the thread's dispatch keys are what they were before.", preserve_new);
PyTypeObject ForceKeys = [] {
  PyTypeObject t = guard_type("torch._C._ForceDispatchKeyGuard",
                              "A block with exactly these keys included and excluded.", force_new);
  t.tp_methods = force_methods;
  return t;
}();

}  // namespace

bool init_dispatch_mode(PyObject* module) {
  return add_type(module, DisableTorchDispatch) && add_type(module, ExcludeKeys) &&
         add_type(module, IncludeKeys) && add_type(module, PreserveKeys) &&
         add_type(module, ForceKeys) && PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace torch
