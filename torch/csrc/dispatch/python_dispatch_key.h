#pragma once
// torch._C.DispatchKey and torch._C.DispatchKeySet.

#include <c10/core/DispatchKeySet.h>
#include <torch/csrc/python_headers.h>

namespace torch {

// A new reference to the one object of a key.
PyObject* wrap_dispatch_key(c10::DispatchKey key);
PyObject* wrap_dispatch_key_set(c10::DispatchKeySet set);

// A DispatchKey, or a key's name. `function` is for the message of the error.
c10::DispatchKey dispatch_key_of(PyObject* o, const char* function);
c10::DispatchKeySet dispatch_key_set_of(PyObject* o, const char* function);

bool init_dispatch_key(PyObject* module);

}  // namespace torch
