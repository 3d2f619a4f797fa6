#pragma once
// Arguments of profiled calls, as Python values.

#include <Python.h>

#include <ATen/core/profiler/Arguments.h>

namespace torch::profiler {

// (shapes, strides, types, values) of a call: a list each, one item an argument. A list of tensors
// has lists of shapes; types are C++'s names, "TensorList", "Scalar", "ScalarList" or "".
PyObject* arguments_of(const std::vector<at::profiler::Argument>& arguments);

}  // namespace torch::profiler
