#pragma once
// Checks of the out= and in-place forms of operators that do not convert their result.

#include <ATen/native/common/StructuredOutputs.h>

namespace at {

// Like copy_to_output, for results that are not converted.
Tensor& copy_to_exact_output(const char* op, Tensor& out, const Tensor& result);
void copy_to_exact_outputs(const char* op, TensorList outs, const std::vector<Tensor>& results);
Tensor& copy_to_exact_self(const char* op, Tensor& self, const Tensor& result);
// Throws unless `out` has the type of the result.
void check_output_dtype(const char* op, const Tensor& out, ScalarType dtype);

}  // namespace at
