#pragma once
// Functions of two numbers without vector forms: shared by the CPU and CUDA kernels.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <c10/macros/Macros.h>
#include <c10/util/reduced_float.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// a or b, by their bits: a processor that has to guess which one it is guesses wrong half of the
// time.
template <typename T>
C10_HOST_DEVICE T select(bool first, T a, T b) {
#ifndef __CUDA_ARCH__
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    Bits x, y;
    std::memcpy(&x, &a, sizeof(T));
    std::memcpy(&y, &b, sizeof(T));
    const Bits mask = -static_cast<Bits>(first);
    x = (x & mask) | (y & ~mask);
    std::memcpy(&a, &x, sizeof(T));
    return a;
  }
#endif
  return first ? a : b;
}

// NaN if either operand is NaN. GCC vectorizes "or" of bools, but not a choice between them.
template <typename T>
struct Maximum {
  C10_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) return a | b;
    else if constexpr (std::is_integral_v<T>) return a > b ? a : b;
    else return select((a > b) | (a != a), a, b);
  }
};
template <typename T>
struct Minimum {
  C10_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) return a & b;
    else if constexpr (std::is_integral_v<T>) return a < b ? a : b;
    else return select((a < b) | (a != a), a, b);
  }
};
// The number if the other operand is NaN.
template <typename T>
struct Fmax {
  C10_HOST_DEVICE T operator()(T a, T b) const { return (a > b) | (b != b) ? a : b; }
};
template <typename T>
struct Fmin {
  C10_HOST_DEVICE T operator()(T a, T b) const { return (a < b) | (b != b) ? a : b; }
};

template <typename T>
struct CopySign {
  C10_HOST_DEVICE T operator()(T a, T b) const { return std::copysign(a, b); }
};
template <typename T>
struct Heaviside {
  C10_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) return a | b;
    else return a == T(0) ? b : static_cast<T>(a > T(0));
  }
};

template <typename T>
struct NextAfter {
  C10_HOST_DEVICE T operator()(T from, T to) const {
    if constexpr (std::is_floating_point_v<T>) {
      // The bits of a larger magnitude are a larger integer. Without branches, so that loops are
      // vectorized.
      using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
      const Bits bits = __builtin_bit_cast(Bits, from);
      // Choices between numbers: GCC would keep what joins two bools as bytes.
      const Bits sign = from > 0 ? Bits(1) : Bits(-1), step = from < to ? sign : -sign;
      const T neighbour = __builtin_bit_cast(T, static_cast<Bits>(bits + step));
      const T tiny =
          from < to ? std::numeric_limits<T>::denorm_min() : -std::numeric_limits<T>::denorm_min();
      const T moved = from == 0 ? tiny : neighbour;
      const T sum = from + to;  // NaN if one of them is
      const T result = sum != sum ? (from != from ? sum : to != to ? sum : moved) : moved;
      return from == to ? to : result;
    } else {
      // The neighbour in the type itself: computing in float would return the float's neighbour.
      const float a = static_cast<float>(from), b = static_cast<float>(to);
      if (a != a || b != b) return T(a + b);
      if (a == b) return to;
      if (a == 0) return T(static_cast<uint16_t>(b < 0 ? 0x8001 : 1), c10::from_bits_t());
      const bool away = (a < b) == (a > 0);
      return T(static_cast<uint16_t>(away ? from.x + 1 : from.x - 1), c10::from_bits_t());
    }
  }
};

// Euclid's algorithm on the absolute values.
template <typename T>
C10_HOST_DEVICE T greatest_divisor(T a, T b) {
  using U = std::make_unsigned_t<T>;
  U x = a < 0 ? U(0) - U(a) : U(a), y = b < 0 ? U(0) - U(b) : U(b);
  while (x != 0) {
    U r = y % x;
    y = x;
    x = r;
  }
  return static_cast<T>(y);
}
template <typename T>
struct Gcd {
  C10_HOST_DEVICE T operator()(T a, T b) const { return greatest_divisor(a, b); }
};
template <typename T>
struct Lcm {
  C10_HOST_DEVICE T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    T g = greatest_divisor(a, b);
    if (g == 0) return 0;
    if constexpr (sizeof(T) < sizeof(int)) {  // the absolute value is that of the int
      const int m = a / g * b;
      return static_cast<T>(m < 0 ? -m : m);
    }
    // g is negative only if it is the minimum, whose absolute value T cannot represent.
    U m = static_cast<U>(static_cast<uint64_t>(g < 0 ? T(1) : static_cast<T>(a / g)) *
                         static_cast<uint64_t>(b));
    T s = static_cast<T>(m);
    return s < 0 ? static_cast<T>(U(0) - m) : s;
  }
};

// By squaring; wraps on overflow. A negative power of an integer is 0 except for 1 and -1.
template <typename T>
C10_HOST_DEVICE T int_pow(T base, int64_t exponent) {
  using U = std::make_unsigned_t<T>;
  if (exponent < 0)
    return base == T(1)                             ? T(1)
           : (std::is_signed_v<T> && base == T(-1)) ? ((exponent & 1) ? T(-1) : T(1))
                                                    : T(0);
  U result = 1, square = static_cast<U>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e; e >>= 1) {
    if (e & 1) result = static_cast<U>((result + 0u) * square);
    square = static_cast<U>((square + 0u) * square);
  }
  return static_cast<T>(result);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
