#pragma once
// The named tuples that operators return: torch.return_types.

#include <torch/csrc/python_headers.h>

namespace torch {

// _named_tuple(operator, fields): the type of an operator's results, whose fields stand with commas
// between. Made once.
PyObject* py_named_tuple(PyObject*, PyObject* args);

}  // namespace torch
