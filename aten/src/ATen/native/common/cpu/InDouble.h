#pragma once
// Elementwise kernels that compute one number in double, whatever the type of the tensors is.

#include <ATen/native/common/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T, typename F>
void apply_in_double(TensorIteratorBase& iter, const F& f) {
  cpu_kernel(iter, [f](T x) -> T { return static_cast<T>(f(static_cast<double>(x))); },
             kGrainSize / 32);
}

// In float32 and float64.
template <typename F>
void full_types_in_double(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), op,
                                [&]<typename T>(TypeTag<T>) { apply_in_double<T>(iter, f); });
}

// In float16 and bfloat16, too.
template <typename F>
void all_types_in_double(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op,
                    [&]<typename T>(TypeTag<T>) { apply_in_double<T>(iter, f); });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
