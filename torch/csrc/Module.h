#pragma once
// The parts of torch._C. Each adds its types and functions; false with a Python error set on
// failure.

#include <torch/csrc/python_headers.h>

namespace torch {
bool init_torch_functions(PyObject* module);  // tensor/python_torch_functions.cpp
bool init_settings(PyObject* module);         // Settings.cpp
bool init_streams(PyObject* module);          // Stream.cpp
bool init_dispatch(PyObject* module);         // dispatch/python_dispatch.cpp
bool init_dispatch_table(PyObject* module);   // dispatch/python_dispatch_table.cpp
bool init_dispatch_mode(PyObject* module);    // dispatch/python_dispatch_mode.cpp
bool init_functionalize(PyObject* module);    // dispatch/python_functionalize.cpp
bool init_fake_tensor(PyObject* module);      // dispatch/python_fake_tensor.cpp
bool init_autocast(PyObject* module);         // dispatch/python_autocast.cpp
bool init_functorch(PyObject* module);        // functorch/python_functorch.cpp
bool init_trace(PyObject* module);            // dispatch/python_trace.cpp
bool init_logging(PyObject* module);          // debug/python_logging.cpp
bool init_profiler(PyObject* module);         // profiler/python_profiler.cpp
bool init_module_base(PyObject* module);      // nn/python_module_base.cpp
bool init_config(PyObject* module);           // Config.cpp
bool init_pytree(PyObject* module);           // Pytree.cpp
PyObject* named_tuple_types();                // binding/python_thunk.cpp
// Adds functions to an existing module inside of torch._C, such as "_nn".
bool add_functions_to(PyObject* module, const char* submodule, PyMethodDef* functions);

}  // namespace torch
