#pragma once
// Tensors from Python data: nested sequences, numbers, NumPy arrays.

#include <torch/csrc/python_headers.h>

#include <ATen/core/Tensor.h>

namespace torch {

// A tensor of the data in nested sequences, of the given type or of the type that its elements
// have. Always a copy.
at::Tensor tensor_from_data(PyObject* data, std::optional<at::ScalarType> dtype, at::Device device);
// A 0-d bool tensor.
at::Tensor scalar_index(bool value, at::Device device);
// x.tolist()
PyObject* tensor_to_list(const at::Tensor& t);

// NumPy, loaded when first needed.
at::Tensor tensor_from_numpy(PyObject* array);
PyObject* tensor_to_numpy(const at::Tensor& t, bool force);
bool is_numpy_array(PyObject* o);
// An object with __array_interface__.
at::Tensor tensor_from_array_interface(PyObject* o);
// An object with __cuda_array_interface__: a tensor over its memory. Undefined for others.
at::Tensor tensor_from_cuda_array(PyObject* o);

bool init_tensor_new(PyObject* module);
bool init_dlpack(PyObject* module);

}  // namespace torch
