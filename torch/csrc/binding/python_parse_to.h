#pragma once
// The arguments of Tensor.to and Module.to: a dtype, a device, another tensor, in any of their
// orders.

#include <torch/csrc/python_headers.h>

#include <ATen/core/Tensor.h>

namespace torch {

struct ParsedTo {
  std::optional<at::ScalarType> dtype;
  std::optional<at::Device> device;
  bool non_blocking = false;
  bool copy = false;
  std::optional<at::MemoryFormat> memory_format;
};

ParsedTo parse_to(PyObject* const* args, Py_ssize_t n, PyObject* kwnames);

}  // namespace torch
