#pragma once
// The logarithm of the gamma function, of vectors: polynomials, which keep its zeros at 1 and 2, up
// to 9.5, Stirling's formula beyond (DLMF 5.11.1), and the recurrence below 0.7.

#include <cmath>
#include <type_traits>

#include <ATen/native/common/cpu/PairPower.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special/cpu/log_gamma_coefficients.h>

// Where the pieces of kLogGammaRest begin, after the first.
constexpr double kLogGammaStarts[] = {0.97, 1.34, 1.86, 2.58, 3.57, 4.94, 6.85};

// For 1e-290 < x < 1e300. Number is the type of the logarithms, whose
// multiples lose digits.
template <typename T, typename Number>
C10_ALWAYS_INLINE Doubles log_gamma_of_positive(Doubles x) {
  const auto low = x < Doubles(0.7), far = x >= Doubles(9.5);
  // Gamma(x) = Gamma(x + 1) / x
  const Doubles y = where(low, x + 1.0, x);
  const Doubles from_1 = where(low, x, x - 1.0), from_2 = where(low, x - 1.0, x - 2.0);
  // The sum with 0 makes the zeros positive.
  Doubles value =
      from_1 * from_2 * evaluate<kLogGammaRest, T>(piece_number(y, kLogGammaStarts), y) + 0.0;
  if (any(low | far)) {
    const Number log_x = log_as<Number>(x);
    value = where(low, rounded(Number(value) - log_x), value);
    if (any(far)) {
      constexpr double kRest = 0.41893853320467274;  // log(2 pi) / 2 - 1/2
      const Doubles v = Doubles(1.0) / x;
      const Number leading = (x - 0.5) * (log_x - Number(1.0));
      const Doubles rest = v * evaluate<kStirlingRest>(v * v) + kRest;
      value = where(far, rounded(leading + Number(rest)), value);
    }
  }
  return value;
}

template <typename T>
Vec<T> log_gamma(Vec<T> x) {
  using Number = std::conditional_t<sizeof(T) == 8, TwoDoubles, Doubles>;
  const auto usual = (x > Vec<T>(T(sizeof(T) == 8 ? 1e-290 : 1e-37))) &
                     (x < Vec<T>(T(sizeof(T) == 8 ? 1e300 : 1e36)));
  const Vec<T> positive =
      by_doubles(Vec<T>(where(usual, x, Vec<T>(T(3)))), log_gamma_of_positive<T, Number>);
  const auto zero = x == Vec<T>(T(0)), other = ~(usual | zero);
  const Vec<T> value = where(zero, Vec<T>(T(INFINITY)), positive);
  return any(other) ? where(other, lgamma(x), value) : value;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
