#pragma once
// Data pointers of tensors that may be undefined.

#include <ATen/core/Tensor.h>

namespace at::native {

template <typename T>
T* data_or_null(const Tensor& t) {
  return t.defined() ? static_cast<T*>(t.data_ptr()) : nullptr;
}

// Calls f with a zero of the type of this input's statistics.
template <typename F>
void in_stats_type(ScalarType input, const F& f) {
  if (input == kDouble) f(double());
  else f(float());
}

}  // namespace at::native
