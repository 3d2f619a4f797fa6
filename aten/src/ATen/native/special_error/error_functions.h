#pragma once
// The scaled error function, and the normal distribution by means of it, of one number.

#include <cmath>

#include <ATen/native/common/Piecewise.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special_error/error_coefficients.h>

constexpr double kRootHalf = 0.70710678118654752440, kRootTwoPi = 2.50662827463100050242;

// exp(factor * x^2). The rounding of x^2 would cost as many digits as the result's exponent has.
C10_HOST_DEVICE inline double exp_of_square(double x, double factor) {
  const double square = x * x, low = std::fma(x, x, -square);
  const double value = std::exp(factor * square);
  return std::isfinite(low) ? value + value * (factor * low) : value;
}

// exp(x^2) erfc(x)
C10_HOST_DEVICE inline double erfcx_of_positive(double x) {
  if (x < 8) {
    const int k = x < 2 ? static_cast<int>(2 * x) : x < 4 ? 2 + static_cast<int>(x) : x < 6 ? 6 : 7;
    return evaluate(kErfcx[k], x);
  }
  return evaluate(kErfcxLarge[0], 64 / x / x) / x;
}
C10_HOST_DEVICE inline double erfcx(double x) {
  if (x != x) return x;
  return x >= 0    ? erfcx_of_positive(x)
         : x < -27 ? INFINITY
                   : 2 * exp_of_square(x, 1) - erfcx_of_positive(-x);
}

// The probability of a normal variable below x.
C10_HOST_DEVICE inline double ndtr(double x) {
  if (!(x < -1 || x > 1)) return 0.5 * std::erfc(-x * kRootHalf);
  const double size = std::fabs(x);
  const double tail = size > 39 ? 0 : 0.5 * erfcx(size * kRootHalf) * exp_of_square(size, -0.5);
  return x < 0 ? tail : 1 - tail;
}

C10_HOST_DEVICE inline double log_ndtr(double x) {
  if (x < -1)
    return std::isinf(x) ? -INFINITY : std::log(0.5 * erfcx(-x * kRootHalf)) - 0.5 * x * x;
  return x < 0 ? std::log(ndtr(x)) : std::log1p(-ndtr(-x));
}

// The inverse of ndtr: a function of the distance from 1/2, and in the tails of sqrt(-2 log p),
// which is nearly the result.
C10_HOST_DEVICE inline double ndtri(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
  const double q = 0.5 - p, square = q * q;
  if (square <= 0.1849)
    return (p - 0.5) * -evaluate(kQuantileMiddle[square < 0.0625  ? 0
                                                 : square < 0.125 ? 1
                                                                  : 2],
                                 square);
  const double t = std::sqrt(-2 * std::log(q > 0 ? p : 1 - p));
  const int k = t < 3    ? 0
                : t < 4  ? 1
                : t < 6  ? 2
                : t < 9  ? 3
                : t < 14 ? 4
                : t < 22 ? 5
                : t < 30 ? 6
                         : 7;
  return std::copysign(evaluate(kQuantileTail[k], t), -q);
}

C10_HOST_DEVICE inline double entr(double x) {
  return x > 0 ? -x * std::log(x) : x == 0 ? 0 : x != x ? x : -INFINITY;
}

C10_HOST_DEVICE inline double xlog1py(double x, double y) {
  return y != y ? y : x == 0 ? 0 : x * std::log1p(y);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
