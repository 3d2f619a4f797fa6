#pragma once
// __torch_function__: an argument whose type defines it handles the call instead of the operator.

#include <torch/csrc/python_headers.h>

namespace torch {

// Asks the arguments' types in order, subclasses before their bases. `name` is that of the public
// function: the handlers get torch.NAME, or Tensor.NAME when `self` is given, or `called` if that
// is not null. A new reference, or throws.
PyObject* handle_torch_function(const char* name, PyObject* self, PyObject* const* args,
                                Py_ssize_t nargs, PyObject* kwnames, PyObject* called = nullptr);

// Whether one of the arguments, or an item of a list among them, has a __torch_function__.
bool any_torch_function(PyObject* args, PyObject* kwargs);

// How many modes (torch.overrides.TorchFunctionMode) are active on this thread: they see every
// call. initial-exec: one instruction to read, for calls and properties alike.
extern __thread int t_torch_function_modes __attribute__((tls_model("initial-exec")));

// The same for the active modes of a call of torch.NAME, with the arguments as a tuple and a dict
// or null.
PyObject* ask_modes(const char* name, PyObject* args, PyObject* kwargs, PyObject* called = nullptr);

bool init_torch_function(PyObject* module);

}  // namespace torch
