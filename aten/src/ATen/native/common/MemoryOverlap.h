#pragma once
// Whether a tensor may be written to: none of its elements may share memory with another one or
// with an element that is still to be read.

#include <ATen/core/Tensor.h>

namespace at {

// Detects expanded tensors. Returns false for windows, which would require a search.
bool has_internal_overlap(const TensorImpl& t);
// Throws, naming the operator, before an expanded tensor is written to.
void assert_no_internal_overlap(const TensorImpl& t, const char* op);
inline void assert_no_internal_overlap(const Tensor& t, const char* op) {
  assert_no_internal_overlap(*t.unsafeGetTensorImpl(), op);
}

// Whether elements of the two tensors share memory: exact except for pathological strides, where
// the answer is yes.
bool shares_memory(const TensorImpl& a, const TensorImpl& b);

}  // namespace at
