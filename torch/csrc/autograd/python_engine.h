#pragma once
// The engine as Python sees it: run_backward, callbacks.

#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/saved_variable.h>

namespace torch {
// Adds the engine's functions to torch._C; false with a Python error set on failure.
bool init_engine(PyObject* module);

// Calls a pack_hook with a tensor, and keeps its answer for the unpack_hook.
std::unique_ptr<autograd::SavedVariableHooks> pack_with(const at::Tensor& t, PyObject* pack_hook,
                                                        PyObject* unpack_hook);
// That answer and the unpack_hook, borrowed; null for no hooks, or such as are not Python's.
std::pair<PyObject*, PyObject*> packed_by_hooks(const autograd::SavedVariableHooks* hooks);
}  // namespace torch
