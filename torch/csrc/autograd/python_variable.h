#pragma once
// The Python object of a tensor.
//
// Note [Tensor objects]
// A tensor's object owns the TensorImpl. When Python drops the object while C++ still holds the
// tensor, and the object has state that must be kept (attributes, a subclass, weak references),
// ownership is reversed: the TensorImpl owns the object until the tensor is returned to Python
// again. A plain object has no such state: it is freed, and another is made when needed.
//
// Plain objects come from a free list, and the cycle collector does not know them until they get a
// __dict__.
//
// CPython 3.11 finds methods of an object without a search in each call only if the object can have
// no __dict__, or one that the interpreter keeps in front of the object. So it is kept there, as
// for classes written in Python. Other versions know how to do without.

#include <torch/csrc/object_ptr.h>

#include <ATen/core/Tensor.h>

#define TORCH_MANAGED_DICT (PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000)

namespace torch {

struct THPVariable {
  PyObject_HEAD at::Tensor cdata;
#if !TORCH_MANAGED_DICT
  THPObjectPtr dict;
#endif
  PyObject* weakrefs;
  THPObjectPtr backward_hooks;
};

extern PyTypeObject THPVariableType;    // torch._C.TensorBase
extern PyTypeObject* THPVariableClass;  // torch.Tensor

// Whether an object is exactly a torch.Tensor; whether it is one or an instance of a subclass.
inline bool THPVariable_CheckExact(PyObject* o) { return Py_TYPE(o) == THPVariableClass; }
inline bool THPVariable_Check(PyObject* o) {
  return THPVariable_CheckExact(o) || PyObject_TypeCheck(o, &THPVariableType);
}
inline const at::Tensor& THPVariable_Unpack(PyObject* o) {
  return reinterpret_cast<THPVariable*>(o)->cdata;
}

// The object of a tensor, a new reference; None for an undefined tensor.
PyObject* THPVariable_Wrap(at::Tensor tensor);
// The same for a new object of a subclass.
PyObject* THPVariable_WrapAs(PyTypeObject* type, at::Tensor tensor);

// Types whose __torch_function__ is switched off, Parameter first of all, count as plain.
bool has_torch_function(PyObject* o);
extern PyObject* disabled_torch_function;

bool init_variable(PyObject* module);

}  // namespace torch
