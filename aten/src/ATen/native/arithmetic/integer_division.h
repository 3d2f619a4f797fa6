#pragma once
// Division of integers that rounds, and its remainders, of one element: shared by the CPU and CUDA
// kernels. The divisor must not be 0. The one quotient that overflows (the minimum divided by -1)
// wraps.

#include <type_traits>

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
C10_HOST_DEVICE T int_div_trunc(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return a / b;
}

template <typename T>
C10_HOST_DEVICE T int_mod(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return a % b;
}

template <typename T>
C10_HOST_DEVICE T int_div_floor(T a, T b) {
  T q = int_div_trunc(a, b);
  if constexpr (std::is_signed_v<T>) {
    if ((a < 0) != (b < 0) && int_mod(a, b) != 0) --q;
  }
  return q;
}

template <typename T>
C10_HOST_DEVICE T int_remainder(T a, T b) {
  T r = int_mod(a, b);
  if constexpr (std::is_signed_v<T>) {
    if (r != 0 && (r < 0) != (b < 0)) r += b;
  }
  return r;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
