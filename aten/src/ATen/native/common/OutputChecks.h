#pragma once
// The out= and in-place forms of operators that convert their result to no other type.

#include <ATen/native/common/StructuredOutputs.h>

namespace at {

// As copy_to_output and its kin, for results that are not converted.
Tensor& copy_to_exact_output(const char* op, Tensor& out, const Tensor& result);
void copy_to_exact_outputs(const char* op, TensorList outs, const std::vector<Tensor>& results);
Tensor& copy_to_exact_self(const char* op, Tensor& self, const Tensor& result);
// Throws unless `out` has the type of the result.
void check_output_dtype(const char* op, const Tensor& out, ScalarType dtype);

}  // namespace at
