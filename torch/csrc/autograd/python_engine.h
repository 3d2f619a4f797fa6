#pragma once
#include <torch/csrc/python_headers.h>

namespace torch {
// Adds the engine's functions to torch._C; false with a Python error set on failure.
bool init_engine(PyObject* module);
}  // namespace torch
