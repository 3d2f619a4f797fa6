#pragma once
// Shared by all float types of less than 32 bits: arithmetic through float, and
// std::numeric_limits. A type must have `x` (its bits), `Format` (a MiniFloat) and the tag base; it
// defines its own conversions.

#include <c10/util/minifloat.h>

#include <limits>
#include <string>
#include <type_traits>

namespace c10 {

struct from_bits_t {};
constexpr from_bits_t from_bits{};

namespace detail {
struct ReducedFloatTag {};
}  // namespace detail

template <class T>
inline constexpr bool is_reduced_float_v = std::is_base_of_v<detail::ReducedFloatTag, T>;

// The result type of an operation between T and U: T with itself and with integers, otherwise the
// wider float.
template <class T, class U>
using reduced_result_t = std::enable_if_t<is_reduced_float_v<T> && std::is_arithmetic_v<U>,
                                          std::conditional_t<std::is_floating_point_v<U>, U, T>>;

#define C10_REDUCED_FLOAT_OPERATOR(op)                                         \
  template <class T, class = std::enable_if_t<is_reduced_float_v<T>>>          \
  constexpr C10_HOST_DEVICE T operator op(T a, T b) {                          \
    return T(static_cast<float>(a) op static_cast<float>(b));                  \
  }                                                                            \
  template <class T, class U>                                                  \
  constexpr C10_HOST_DEVICE reduced_result_t<T, U> operator op(T a, U b) {     \
    using R = reduced_result_t<T, U>;                                          \
    if constexpr (std::is_same_v<R, T>) {                                      \
      return T(static_cast<float>(a) op static_cast<float>(b));                \
    } else {                                                                   \
      return static_cast<float>(a) op b;                                       \
    }                                                                          \
  }                                                                            \
  template <class U, class T>                                                  \
  constexpr C10_HOST_DEVICE reduced_result_t<T, U> operator op(U a, T b) {     \
    using R = reduced_result_t<T, U>;                                          \
    if constexpr (std::is_same_v<R, T>) {                                      \
      return T(static_cast<float>(a) op static_cast<float>(b));                \
    } else {                                                                   \
      return a op static_cast<float>(b);                                       \
    }                                                                          \
  }                                                                            \
  template <class T, class U, class = std::enable_if_t<is_reduced_float_v<T>>> \
  constexpr C10_HOST_DEVICE T& operator op## = (T & a, const U& b) {           \
    return a = T(static_cast<float>(a) op static_cast<float>(b));              \
  }
C10_REDUCED_FLOAT_OPERATOR(+)
C10_REDUCED_FLOAT_OPERATOR(-)
C10_REDUCED_FLOAT_OPERATOR(*)
C10_REDUCED_FLOAT_OPERATOR(/)
#undef C10_REDUCED_FLOAT_OPERATOR

template <class T, class = std::enable_if_t<is_reduced_float_v<T>>>
constexpr C10_HOST_DEVICE T operator-(T a) {
  return T(-static_cast<float>(a));
}

template <class T, class = std::enable_if_t<is_reduced_float_v<T>>>
std::string to_string(T value) {
  return std::to_string(static_cast<float>(value));
}

namespace detail {

template <class T>
class ReducedFloatLimits {
  using F = typename T::Format;
  static constexpr int kDigits = F::kMantissaBits + 1;
  static constexpr int kMaxExponent = static_cast<int>(F::kMax >> F::kMantissaBits) - F::kBias + 1;
  static constexpr int kMinExponent = 2 - F::kBias;
  static constexpr T bits(uint32_t value) {
    return T(static_cast<typename F::Bits>(value), from_bits);
  }

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = F::kKind == MiniFloatKind::IEEE;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = has_infinity;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = has_infinity;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr int radix = 2;
  static constexpr int digits = kDigits;
  static constexpr int digits10 = (kDigits - 1) * 30103 / 100000;
  static constexpr int max_digits10 = kDigits * 30103 / 100000 + 2;
  static constexpr int min_exponent = kMinExponent;
  static constexpr int min_exponent10 = kMinExponent * 30103 / 100000;
  static constexpr int max_exponent = kMaxExponent;
  static constexpr int max_exponent10 = kMaxExponent * 30103 / 100000;
  static constexpr T min() { return bits(1u << F::kMantissaBits); }
  static constexpr T lowest() { return bits(F::kSign | F::kMax); }
  static constexpr T max() { return bits(F::kMax); }
  static constexpr T epsilon() {
    return T(__builtin_bit_cast(float, static_cast<uint32_t>(127 - F::kMantissaBits) << 23));
  }
  static constexpr T round_error() { return T(0.5f); }
  static constexpr T infinity() { return has_infinity ? bits(F::kInfinity) : quiet_NaN(); }
  static constexpr T quiet_NaN() { return bits(F::kNaN); }
  static constexpr T signaling_NaN() { return has_infinity ? bits(F::kInfinity | 1) : quiet_NaN(); }
  static constexpr T denorm_min() { return bits(1); }
};

}  // namespace detail
}  // namespace c10
