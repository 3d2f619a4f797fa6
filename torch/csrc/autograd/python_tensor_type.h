#pragma once
// What makes up the Tensor type, gathered from the files that define it.

#include <torch/csrc/python_headers.h>

namespace torch {

// Puts methods, properties, number and mapping slots into the type before it is made ready.
bool fill_tensor_type(PyTypeObject* type);

// python_variable_properties.cpp
extern PyGetSetDef tensor_properties[];
// python_variable_methods.cpp: methods by hand, which stand before generated ones of the same name
extern PyMethodDef tensor_manual_methods[];
// python_variable_numbers.cpp
extern PyNumberMethods tensor_number_methods;
PyObject* tensor_compare(PyObject* a, PyObject* b, int op);
Py_hash_t tensor_hash(PyObject* o);
// python_variable_indexing.cpp
extern PyMappingMethods tensor_mapping_methods;
// python_variable_subclass.cpp: Tensor._make_subclass, Tensor._make_wrapper_subclass
PyObject* make_subclass(PyObject*, PyObject* args, PyObject* kwargs);
PyObject* make_wrapper_subclass(PyObject*, PyObject* args, PyObject* kwargs);
// tensor/tensor_new.cpp: torch.Tensor(...)
PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);

}  // namespace torch
