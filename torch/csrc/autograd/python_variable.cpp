// The Tensor type: making, freeing and tracking its objects. Note [Tensor objects] is in the
// header.

#include <torch/csrc/autograd/python_variable.h>

#include <structmember.h>
#include <utility>

#include <python_docs.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_function.h>
#include <torch/csrc/autograd/python_tensor_type.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/dispatch/python_torch_dispatch.h>
#include <torch/csrc/gil.h>
#include <torch/csrc/python_types.h>
#include <torch/csrc/type_object.h>

namespace torch {

using at::Tensor;
using c10::TensorImpl;

PyTypeObject* THPVariableClass = nullptr;

namespace {

// --- making and freeing objects, Note [Tensor objects] ------------------------------------------

// Where an object's __dict__ is, or null.
PyObject** dict_of(THPVariable* self) {
#if TORCH_MANAGED_DICT
  return reinterpret_cast<PyObject**>(self) - 3;
#else
  return reinterpret_cast<PyObject**>(&self->dict);
#endif
}

constexpr int kMaxFreeObjects = 256;
PyObject* g_free[kMaxFreeObjects];
int g_free_count = 0;

THPVariable* allocate_plain() {
  PyTypeObject* type = THPVariableClass;
  if (g_free_count > 0) {
    PyObject* o = g_free[--g_free_count];
    Py_INCREF(type);
    PyObject_Init(o, type);
    auto* self = reinterpret_cast<THPVariable*>(o);
    new (&self->cdata) Tensor();
    return self;
  }
  auto* self = PyObject_GC_New(THPVariable, type);
  if (!self) throw python_error();
#if PY_VERSION_HEX < 0x03080000
  Py_INCREF(type);
#endif
  new (&self->cdata) Tensor();
  self->weakrefs = nullptr;
#if !TORCH_MANAGED_DICT  // the interpreter has cleared its own
  new (&self->dict) THPObjectPtr();
#endif
  new (&self->backward_hooks) THPObjectPtr();
  return self;
}

bool carries_state(THPVariable* self) {
  return Py_TYPE(self) != THPVariableClass || *dict_of(self) || self->weakrefs ||
         self->backward_hooks;
}

// Reverses ownership, so that the tensor owns the object. False if that is not needed.
bool hand_object_to_tensor(THPVariable* self) {
  TensorImpl* impl = self->cdata.unsafeGetTensorImpl();
  if (!impl || impl->owns_pyobj() || impl->pyobj() != reinterpret_cast<PyObject*>(self) ||
      impl->use_count() <= 1 || !carries_state(self)) {
    return false;
  }
  // tp_dealloc is entered with a count of 0: give the tensor one.
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(self), 1);
  impl->set_pyobj(reinterpret_cast<PyObject*>(self), /*owned=*/true);
  // cdata stays, but no longer counts.
  c10::intrusive_access::decref(impl);
  return true;
}

// Called when a tensor that owns its object dies.
void release_object(PyObject* o) {
  if (!Py_IsInitialized()) return;
  gil_scoped_acquire gil;
  THPObjectPtr object(o);
  reinterpret_cast<THPVariable*>(o)->cdata.unsafeReleaseTensorImpl();  // it was not counted
}

// What the __slots__ of a derived class and of its bases hold.
void clear_slots(PyObject* o) {
  for (PyTypeObject* type = Py_TYPE(o); type != THPVariableClass && type != &THPVariableType;
       type = type->tp_base) {
    for (Py_ssize_t i = 0; i < Py_SIZE(type); ++i) {
      const PyMemberDef& member = type->tp_members[i];
      if (member.type != T_OBJECT_EX) continue;
      auto** slot = reinterpret_cast<PyObject**>(reinterpret_cast<char*>(o) + member.offset);
      const THPObjectPtr value(std::exchange(*slot, nullptr));
    }
  }
}

int tensor_clear(PyObject* o) {
  auto* self = reinterpret_cast<THPVariable*>(o);
  self->backward_hooks.reset();
  const THPObjectPtr dict(std::exchange(*dict_of(self), nullptr));
  return 0;
}

void drop_tensor(THPVariable* self) {
  TensorImpl* impl = self->cdata.unsafeGetTensorImpl();
  if (impl && impl->pyobj() == reinterpret_cast<PyObject*>(self)) impl->set_pyobj(nullptr, false);
  self->cdata.~Tensor();
}

// For torch.Tensor and every class derived from it.
void tensor_dealloc(PyObject* o) {
  auto* self = reinterpret_cast<THPVariable*>(o);
  if (hand_object_to_tensor(self)) return;
  PyTypeObject* type = Py_TYPE(o);
  if (type == THPVariableClass && !carries_state(self)) {
    drop_tensor(self);
    if (PyObject_GC_IsTracked(o)) PyObject_GC_UnTrack(o);
    THPPointer<PyTypeObject> type_reference(type);
    if (g_free_count < kMaxFreeObjects) {
      g_free[g_free_count++] = o;
    } else {
      PyObject_GC_Del(o);
    }
    return;
  }
  if (type->tp_finalize && PyObject_CallFinalizerFromDealloc(o) < 0) return;
  if (PyObject_GC_IsTracked(o)) PyObject_GC_UnTrack(o);
  if (self->weakrefs) PyObject_ClearWeakRefs(o);
  clear_slots(o);
  tensor_clear(o);
  drop_tensor(self);
  free_heap_object(o);
}

// Note [Results on ctx]
// ctx.y = y in a custom Function closes a circle: the ctx, the tensor, its node, the ctx. The
// collector sees through it where each holds the next one alone.
int tensor_traverse(PyObject* o, visitproc visit, void* arg) {
  auto* self = reinterpret_cast<THPVariable*>(o);
#if !TORCH_MANAGED_DICT  // the class visits it
  Py_VISIT(self->dict.get());
#endif
  Py_VISIT(self->backward_hooks.get());
  // An object that its tensor owns does not count among the tensor's owners.
  TensorImpl* impl = self->cdata.unsafeGetTensorImpl();
  if (!impl || impl->owns_pyobj()) return 0;
  auto* meta = autograd::get_autograd_meta(self->cdata);
  if (meta && impl->use_count() == 1 && meta->grad_fn && meta->grad_fn.unique()) {
    if (int r = traverse_python_function(*meta->grad_fn, visit, arg)) return r;
  }
  return traverse_tensor_hooks(self->cdata, visit, arg);
}

// An object is known to the cycle collector from when it can be in a cycle.
void track(PyObject* o) {
  if (!PyObject_GC_IsTracked(o)) PyObject_GC_Track(o);
}

int tensor_setattro(PyObject* o, PyObject* name, PyObject* value) {
  int r = PyObject_GenericSetAttr(o, name, value);
  if (*dict_of(reinterpret_cast<THPVariable*>(o))) track(o);
  return r;
}

PyObject* get_dict(PyObject* o, void* context) {
  PyObject* d = PyObject_GenericGetDict(o, context);
  track(o);
  return d;
}

PyGetSetDef dict_property[] = {{"__dict__", get_dict, PyObject_GenericSetDict, nullptr, nullptr},
                               {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* base_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_RuntimeError,
                  "torch._C.TensorBase is the base of torch.Tensor and makes no tensors itself");
  return nullptr;
}

// A class that answers below autograd does not need to be asked above it as well, unless it says
// so: with Tensor's own __torch_function__, what it returns would be converted to its class.
int use_dispatch_alone(PyObject* cls) {
  PyObject* tensor = reinterpret_cast<PyObject*>(THPVariableClass);
  THPObjectPtr own_answer(PyObject_GetAttrString(cls, "__torch_dispatch__"));
  THPObjectPtr no_answer(PyObject_GetAttrString(tensor, "__torch_dispatch__"));
  if (!own_answer || !no_answer) return -1;
  if (own_answer.get() == no_answer.get()) return 0;
  THPObjectPtr method(PyObject_GetAttrString(cls, "__torch_function__"));
  THPObjectPtr inherited(PyObject_GetAttrString(tensor, "__torch_function__"));
  if (!method || !inherited) return -1;
  if (!PyMethod_Check(method.get()) || !PyMethod_Check(inherited.get()) ||
      PyMethod_GET_FUNCTION(method.get()) != PyMethod_GET_FUNCTION(inherited.get()))
    return 0;
  THPObjectPtr module(PyImport_ImportModule("torch._C"));
  THPObjectPtr disabled(
      module ? PyObject_GetAttrString(module.get(), "_disabled_torch_function_impl") : nullptr);
  return disabled ? PyObject_SetAttrString(cls, "__torch_function__", disabled.get()) : -1;
}

// The metaclass: classes derived from Tensor free their objects our way.
int meta_init(PyObject* cls, PyObject* args, PyObject* kwargs) {
  if (PyType_Type.tp_init(cls, args, kwargs) < 0) return -1;
  auto* type = reinterpret_cast<PyTypeObject*>(cls);
  // Python's own routine would free the __slots__ of an object that its tensor is to keep.
  type->tp_dealloc = tensor_dealloc;
  const bool derived = THPVariableClass && PyType_IsSubtype(type, THPVariableClass);
  return derived ? use_dispatch_alone(cls) : 0;
}

// dir(torch.Tensor): without the names that only say that they are not there.
PyObject* meta_dir(PyObject* cls, PyObject*) {
  THPObjectPtr names(PyObject_CallMethod(as_object(PyType_Type), "__dir__", "O", cls));
  THPObjectPtr module(names ? PyImport_ImportModule("torch._absent_methods") : nullptr);
  return module ? PyObject_CallMethod(module.get(), "present", "OO", cls, names.get()) : nullptr;
}

PyMethodDef meta_methods[] = {{"__dir__", meta_dir, METH_NOARGS, nullptr},
                              {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyTypeObject THPVariableMetaType = [] {
  PyTypeObject t = type_object("torch._C._TensorMeta", 0, nullptr, Py_TPFLAGS_BASETYPE);
  t.tp_methods = meta_methods;
  t.tp_init = meta_init;
  return t;
}();

PyTypeObject THPVariableType = [] {
  PyTypeObject t =
      type_object<THPVariable>("torch._C.TensorBase", "What of Tensor is written in C++.",
                               Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC);
  t.tp_new = base_new;
  t.tp_dealloc = tensor_dealloc;
  t.tp_traverse = tensor_traverse;
  t.tp_clear = tensor_clear;
  t.tp_setattro = tensor_setattro;
#if !TORCH_MANAGED_DICT
  t.tp_dictoffset = offsetof(THPVariable, dict);
#endif
  t.tp_weaklistoffset = offsetof(THPVariable, weakrefs);
  t.tp_free = PyObject_GC_Del;
  return t;
}();

PyObject* THPVariable_Wrap(Tensor tensor) {
  TensorImpl* impl = tensor.unsafeGetTensorImpl();
  if (!impl) Py_RETURN_NONE;
  if (PyObject* o = impl->pyobj()) {
    if (impl->owns_pyobj()) {
      // The object owns the tensor again, and the tensor's reference to the object becomes ours.
      impl->set_pyobj(o, /*owned=*/false);
      tensor.unsafeReleaseTensorImpl();
      return o;
    }
    return Py_NewRef(o);
  }
  THPVariable* self = allocate_plain();
  impl->set_pyobj(reinterpret_cast<PyObject*>(self), /*owned=*/false);
  self->cdata = std::move(tensor);
  return reinterpret_cast<PyObject*>(self);
}

PyObject* THPVariable_WrapAs(PyTypeObject* type, Tensor tensor) {
  if (type == THPVariableClass) return THPVariable_Wrap(std::move(tensor));
  TORCH_CHECK(!tensor.unsafeGetTensorImpl()->pyobj(),
              "a tensor that has a Python object already cannot become a ", type->tp_name);
  auto* self = reinterpret_cast<THPVariable*>(check(type->tp_alloc(type, 0)));
  new (&self->cdata) Tensor(std::move(tensor));
  if (C10_UNLIKELY(has_torch_dispatch(type))) set_python_dispatch(self->cdata);
  self->cdata.unsafeGetTensorImpl()->set_pyobj(reinterpret_cast<PyObject*>(self), false);
  return reinterpret_cast<PyObject*>(self);
}

bool init_variable(PyObject* module) {
  c10::set_pyobject_releaser(release_object);
  THPVariableMetaType.tp_base = &PyType_Type;
  THPVariableMetaType.tp_basicsize = PyType_Type.tp_basicsize;
  THPVariableMetaType.tp_itemsize = PyType_Type.tp_itemsize;
  if (!add_type(module, THPVariableMetaType)) return false;
  Py_SET_TYPE(&THPVariableType, &THPVariableMetaType);
  if (!fill_tensor_type(&THPVariableType) || !add_type(module, THPVariableType)) return false;
  Py_SET_TYPE(&THPVariableType, &THPVariableMetaType);
  PyObject* cls =
      PyObject_CallFunction(reinterpret_cast<PyObject*>(&THPVariableMetaType), "s(O){s:s,s:s}",
                            "Tensor", reinterpret_cast<PyObject*>(&THPVariableType), "__module__",
                            "torch", "__doc__", docs::Tensor);
  if (!cls) return false;
  THPVariableClass = reinterpret_cast<PyTypeObject*>(cls);
  // Python's own getter of __dict__ would not register the object with the cycle collector.
  THPObjectPtr getter(PyDescr_NewGetSet(THPVariableClass, &dict_property[0]));
  if (!getter || PyDict_SetItemString(THPVariableClass->tp_dict, "__dict__", getter.get()) < 0)
    return false;
  PyType_Modified(THPVariableClass);
  THPVariableClass->tp_new = tensor_new;
  return PyModule_AddObjectRef(module, "Tensor", cls) == 0;
}

}  // namespace torch
