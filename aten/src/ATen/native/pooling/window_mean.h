#pragma once
// The mean of a window from the sum of its elements, for the CPU and CUDA kernels.

#include <ATen/native/arithmetic/integer_division.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// 0 for a window without elements. The least integer divided by -1 wraps.
template <typename T>
C10_HOST_DEVICE T window_mean(T sum, T divisor) {
  if (divisor == T(0)) return T(0);
  if constexpr (std::is_integral_v<T>) return int_div_trunc(sum, divisor);
  else return sum / divisor;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
