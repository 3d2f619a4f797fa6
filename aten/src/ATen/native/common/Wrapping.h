#pragma once
// Sums, differences and products of elements of any type. Those of integers wrap: they are computed
// as unsigned ones, since the overflow of signed ones is undefined.

#include <type_traits>

#include <c10/macros/Macros.h>

namespace at::native {

template <typename T>
constexpr bool kWraps = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// f(a, b), where integers are unsigned and at least as wide as int: uint16_t would be multiplied as
// int, which may overflow.
template <typename T, typename F>
C10_HOST_DEVICE constexpr T wrapping(T a, T b, const F& f) {
  if constexpr (kWraps<T>) {
    using U = std::common_type_t<unsigned, std::make_unsigned_t<T>>;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return static_cast<T>(f(a, b));
  }
}

template <typename T>
C10_HOST_DEVICE constexpr T wrapping_sum(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x + y; });
}
template <typename T>
C10_HOST_DEVICE constexpr T wrapping_difference(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x - y; });
}
template <typename T>
C10_HOST_DEVICE constexpr T wrapping_product(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x * y; });
}

}  // namespace at::native
