#pragma once
// Whether a tensor may be written to: no two of its elements may share memory, nor one of them with
// an element that is still to be read.

#include <ATen/core/Tensor.h>

namespace at {

// False where it would take a search to find out: expanded tensors are found, windows are not.
bool has_internal_overlap(const TensorImpl& t);
// Throws, naming the operator, before an expanded tensor is written to.
void assert_no_internal_overlap(const TensorImpl& t, const char* op);
inline void assert_no_internal_overlap(const Tensor& t, const char* op) {
  assert_no_internal_overlap(*t.unsafeGetTensorImpl(), op);
}

// Whether an element of one lies where an element of the other does: exact but for pathological
// strides, where the answer is yes.
bool shares_memory(const TensorImpl& a, const TensorImpl& b);

}  // namespace at
