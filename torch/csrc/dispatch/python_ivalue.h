#pragma once
// Between Python objects and IValues, as a schema says what they are.

#include <torch/csrc/object_ptr.h>

#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/ivalue.h>

namespace torch {

at::IValue to_ivalue(PyObject* o, const at::SchemaType& type, const char* what);
PyObject* from_ivalue(const at::IValue& v, const at::SchemaType& type);

// Positional and keyword arguments, completed by the schema's defaults.
at::IValueStack arguments_to_stack(const at::FunctionSchema& schema, PyObject* args,
                                   PyObject* kwargs);
// The arguments on a stack, as a Python kernel takes them: a tuple and a dict.
struct PythonArguments {
  THPObjectPtr args, kwargs;
};
PythonArguments stack_to_arguments(const at::FunctionSchema& schema, at::IValueStack& stack);
// The same for __torch_dispatch__: arguments at their defaults are left out, and numbers that a
// binding had wrapped are numbers where the schema says Scalar, or the operator takes numbers.
PythonArguments stack_to_dispatched_arguments(const at::FunctionSchema& schema,
                                              at::IValueStack& stack, bool takes_numbers);
PyObject* stack_to_python(const at::FunctionSchema& schema, at::IValueStack& stack);
void results_to_stack(const at::FunctionSchema& schema, PyObject* result, at::IValueStack& stack);

}  // namespace torch
