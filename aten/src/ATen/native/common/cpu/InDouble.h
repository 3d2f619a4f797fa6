#pragma once
// Elementwise kernels that compute one number in double, whatever the type of the tensors is.

#include <ATen/native/common/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// In float32 and float64.
template <typename F>
void full_types_in_double(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [f](T x) -> T { return static_cast<T>(f(static_cast<double>(x))); },
               kGrainSize / 32);
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
