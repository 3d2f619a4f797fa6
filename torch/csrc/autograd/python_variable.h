#pragma once
// The Python object of a tensor.
//
// Note [Tensor objects]
// A tensor's object owns the TensorImpl. When Python lets the object go while C++ still holds the
// tensor, and the object carries something that must come back with it (attributes, a subclass,
// weak references), the roles turn: the TensorImpl owns the object until the tensor is shown to
// Python again. A plain object carries nothing: it is dropped, and another is made when needed.
//
// Plain objects come from a free list, and the cycle collector does not know them until they get a
// __dict__.

#include <torch/csrc/object_ptr.h>

#include <ATen/core/Tensor.h>

namespace torch {

struct THPVariable {
  PyObject_HEAD at::Tensor cdata;
  THPObjectPtr dict;
  PyObject* weakrefs;
  THPObjectPtr backward_hooks;
};

extern PyTypeObject THPVariableType;    // torch._C.TensorBase
extern PyTypeObject* THPVariableClass;  // torch.Tensor

// Whether an object is a tensor; whether it is one without any Python behaviour of its own.
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
