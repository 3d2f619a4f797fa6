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

// What rounds and what is left, from the quotient that is rounded to zero.

// a - q b, which wraps. uint16_t would be multiplied as int, whose overflow is undefined.
template <typename T>
C10_HOST_DEVICE T rest_of(T a, T b, T q) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(a) - (0u + static_cast<U>(q)) * static_cast<U>(b));
}
// Whether the rest has another sign than the divisor: then the quotient was rounded up.
template <typename T>
C10_HOST_DEVICE bool is_rounded_up(T rest, T b) {
  return (rest != 0) & ((rest < T(0)) != (b < T(0)));
}
template <typename T>
C10_HOST_DEVICE T floor_of(T a, T b, T q) {
  return static_cast<T>(q - static_cast<T>(is_rounded_up(rest_of(a, b, q), b)));
}
template <typename T>
C10_HOST_DEVICE T remainder_of(T a, T b, T q) {
  const T rest = rest_of(a, b, q);
  return static_cast<T>(rest + (is_rounded_up(rest, b) ? b : T(0)));
}

template <typename T>
C10_HOST_DEVICE T int_mod(T a, T b) {
  return rest_of(a, b, int_div_trunc(a, b));
}
template <typename T>
C10_HOST_DEVICE T int_div_floor(T a, T b) {
  return floor_of(a, b, int_div_trunc(a, b));
}
template <typename T>
C10_HOST_DEVICE T int_remainder(T a, T b) {
  return remainder_of(a, b, int_div_trunc(a, b));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
