#pragma once
// What the logarithms of floats and of doubles share.

#include <limits>

#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// `y`, the logarithm of the normal positive numbers of x, with its values for the others: f(x) for
// subnormal numbers.
template <typename T, typename F>
C10_ALWAYS_INLINE Vec<T> with_logarithms_of_others(Vec<T> x, Vec<T> y, const F& f) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const Vec<T> zero(T(0)), smallest(std::numeric_limits<T>::min()), infinity(kInfinity);
  if (C10_LIKELY(all_greater(x, smallest) && all_greater(infinity, x))) return y;
  // Negative numbers are frequent in some inputs: they take no call.
  const Vec<T> edge = where(x == zero, -infinity, Vec<T>(std::numeric_limits<T>::quiet_NaN()));
  const Vec<T> found = where(x > zero, where(x < infinity, y, infinity), edge);
  const auto subnormal = (x > zero) & (x < smallest);
  return C10_UNLIKELY(any(subnormal)) ? where(subnormal, f(x), found) : found;
}

// The logarithm to the base b from numbers in two parts: 1 / ln(b), and log_b(2). The high parts
// have so few bits that products with the upper half of a number, and with e, are exact.
template <typename T>
struct LogarithmBase {
  T high, low, two_high, two_low;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
