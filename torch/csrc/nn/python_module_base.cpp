// torch._C._ModuleBase: attribute look-up and call of nn.Module, in C.
//
// A module keeps its parameters, buffers and sub-modules in three dicts of their own. Looking one
// up through a Python __getattr__ costs several times what a small operator does, and every layer's
// forward does it.

#include <torch/csrc/Module.h>
#include <torch/csrc/profiler/python_tracer.h>
#include <torch/csrc/type_object.h>

#include <structmember.h>

namespace torch {
namespace {

struct THPModule {
  PyObject_HEAD THPObjectPtr dict;
  PyObject* weakrefs;
  // With only a dict and weak references, Python would not treat this layout as one that a subclass
  // must keep: a class with another base before nn.Module would get that base's layout.
  void* own_layout;
};

PyObject* s_places[3];  // "_parameters", "_buffers", "_modules"
PyObject* s_hooks[4];   // "_forward_hooks", ...
PyObject *s_forward, *s_call_impl, *s_global, *s_any, *s_getattribute, *s_getattr;
PyObject* s_base;  // the type itself, for super()
constexpr Py_ssize_t kMaxDirectArguments = 8;

PyObject* dict_of(PyObject* o) { return reinterpret_cast<THPModule*>(o)->dict.get(); }

int traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(dict_of(o));
  return 0;
}
int clear(PyObject* o) {
  reinterpret_cast<THPModule*>(o)->dict.reset();
  return 0;
}
void dealloc(PyObject* o) {
  PyObject_GC_UnTrack(o);
  if (reinterpret_cast<THPModule*>(o)->weakrefs) PyObject_ClearWeakRefs(o);
  clear(o);
  free_heap_object(o);
}

// What the three dicts hold under a name: a borrowed reference, or null without an error.
PyObject* registered(PyObject* dict, PyObject* name) {
  for (PyObject* place : s_places) {
    PyObject* entries = PyDict_GetItemWithError(dict, place);
    if (!entries || !PyDict_CheckExact(entries)) continue;
    if (PyObject* found = PyDict_GetItemWithError(entries, name)) return found;
  }
  return nullptr;
}

PyObject* getattro(PyObject* o, PyObject* name) {
  PyObject* dict = dict_of(o);
  // The class and the instance come first, as in Python; but a miss there must not build an
  // exception, and parameters are the common case: look for a class attribute of that name before
  // the generic search.
  if (dict && PyDict_CheckExact(dict)) {
    if (!PyDict_Contains(dict, name) && !_PyType_Lookup(Py_TYPE(o), name)) {
      if (PyObject* found = registered(dict, name)) {
        Py_INCREF(found);
        return found;
      }
    }
  }
  return PyObject_GenericGetAttr(o, name);
}

// Note [Look-up of subclasses]
// A subclass may define __getattr__ and end it in super().__getattr__(name), so there is one here.
// But if one of its bases has a __getattr__, or a base before nn.Module is not a module, Python
// gives a new class a different look-up from the one above: __init_subclass__ restores it unless a
// base defines a look-up itself.

PyObject* missing(PyObject* o, PyObject* name) {
  PyObject* dict = dict_of(o);
  PyObject* found = dict && PyDict_CheckExact(dict) ? registered(dict, name) : nullptr;
  if (found) {
    Py_INCREF(found);
    return found;
  }
  if (!PyErr_Occurred())
    PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '%U'", Py_TYPE(o)->tp_name,
                 name);
  return nullptr;
}

PyObject* init_subclass(PyObject* cls, PyObject* args, PyObject* kwargs) {
  PyTypeObject* type = reinterpret_cast<PyTypeObject*>(cls);
  // The next class in line: typing.Generic, for one, has its own.
  THPObjectPtr next(PyObject_CallFunctionObjArgs(as_object(PySuper_Type), s_base, cls, nullptr));
  if (!next) return nullptr;
  THPObjectPtr next_init(PyObject_GetAttrString(next.get(), "__init_subclass__"));
  if (!next_init) return nullptr;
  // The last one, of object, refuses arguments that no class took.
  PyObject* done = PyObject_Call(next_init.get(), args, kwargs);
  if (!done) return nullptr;
  PyObject* get = _PyType_Lookup(type, s_getattribute);
  PyObject* fall_back = _PyType_Lookup(type, s_getattr);
  bool own_get = get && Py_IS_TYPE(get, &PyWrapperDescr_Type);
  bool own_fall_back = fall_back && Py_IS_TYPE(fall_back, &PyMethodDescr_Type);
  if (own_get && own_fall_back) type->tp_getattro = getattro;
  return done;
}

bool is_empty(PyObject* dict, PyObject* name) {
  PyObject* d = PyDict_GetItemWithError(dict, name);
  return d && PyDict_Check(d) && PyDict_GET_SIZE(d) == 0;
}

// Whether hooks that wrap every module's call are installed: Module._global_hooks.any.
bool global_hooks(PyTypeObject* type) {
  PyObject* global = _PyType_Lookup(type, s_global);
  if (!global) return true;
  THPObjectPtr any(PyObject_GetAttr(global, s_any));
  return !any || PyObject_IsTrue(any.get()) != 0;
}

// module(...): straight to forward unless there are hooks.
PyObject* call(PyObject* o, PyObject* args, PyObject* kwargs) {
  profiler::ModuleRange profiled(o);
  PyObject* dict = dict_of(o);
  bool plain = dict && PyDict_CheckExact(dict) && !PyDict_Contains(dict, s_forward);
  for (PyObject* hooks : s_hooks) plain = plain && is_empty(dict, hooks);
  if (!plain || global_hooks(Py_TYPE(o))) {
    THPObjectPtr method(PyObject_GetAttr(o, s_call_impl));
    return method ? PyObject_Call(method.get(), args, kwargs) : nullptr;
  }
  PyObject* forward = _PyType_Lookup(Py_TYPE(o), s_forward);
  Py_ssize_t n = PyTuple_GET_SIZE(args);
  if (!forward || !PyFunction_Check(forward) || (kwargs && PyDict_GET_SIZE(kwargs)) ||
      n > kMaxDirectArguments) {
    THPObjectPtr bound(PyObject_GetAttr(o, s_forward));
    return bound ? PyObject_Call(bound.get(), args, kwargs) : nullptr;
  }
  PyObject* stack[kMaxDirectArguments + 1] = {o};
  for (Py_ssize_t i = 0; i < n; ++i) stack[i + 1] = PyTuple_GET_ITEM(args, i);
  auto held = THPObjectPtr::borrow(forward);
  return PyObject_Vectorcall(forward, stack, static_cast<size_t>(n) + 1, nullptr);
}

// object's own, without the arguments, which are for __init__: it refuses classes with abstract
// methods.
PyObject* create(PyTypeObject* type, PyObject*, PyObject*) {
  THPObjectPtr none(PyTuple_New(0));
  return none ? PyBaseObject_Type.tp_new(type, none.get(), nullptr) : nullptr;
}

PyMethodDef methods[] = {
    {"__getattr__", missing, METH_O,
     "A parameter, buffer or child module by its name; an AttributeError where there is none."},
    {"__init_subclass__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(init_subclass)),
     METH_VARARGS | METH_KEYWORDS | METH_CLASS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(THPModule, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(THPModule, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

bool init_module_base(PyObject* module) {
  static const char* const places[] = {"_parameters", "_buffers", "_modules"};
  static const char* const hooks[] = {"_forward_hooks", "_forward_pre_hooks", "_backward_hooks",
                                      "_backward_pre_hooks"};
  for (int i = 0; i < 3; ++i) s_places[i] = PyUnicode_InternFromString(places[i]);
  for (int i = 0; i < 4; ++i) s_hooks[i] = PyUnicode_InternFromString(hooks[i]);
  s_forward = PyUnicode_InternFromString("forward");
  s_call_impl = PyUnicode_InternFromString("_call_impl");
  s_global = PyUnicode_InternFromString("_global_hooks");
  s_any = PyUnicode_InternFromString("any");
  s_getattribute = PyUnicode_InternFromString("__getattribute__");
  s_getattr = PyUnicode_InternFromString("__getattr__");
  // A heap type, so that nn.Module can set _global_hooks on it.
  THPObjectPtr type =
      heap_type("torch._C._ModuleBase", sizeof(THPModule), Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                {type_slot(Py_tp_new, create), type_slot(Py_tp_dealloc, dealloc),
                 type_slot(Py_tp_traverse, traverse), type_slot(Py_tp_clear, clear),
                 type_slot(Py_tp_getattro, getattro), type_slot(Py_tp_call, call),
                 type_slot(Py_tp_methods, methods), type_slot(Py_tp_getset, properties),
                 type_slot(Py_tp_members, members)});
  s_base = Py_XNewRef(type.get());
  return type && PyModule_AddObjectRef(module, "_ModuleBase", type.get()) == 0;
}

}  // namespace torch
