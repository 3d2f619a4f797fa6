#pragma once
// The scaled error function, and the normal distribution by means of it, of one number.

#include <cmath>

#include <ATen/native/common/cpu/Piecewise.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special_error/cpu/error_coefficients.h>

constexpr double kRootHalf = 0.70710678118654752440, kRootTwoPi = 2.50662827463100050242;

// exp(factor * x^2). The rounding of x^2 would cost as many digits as the result's exponent has.
inline double exp_of_square(double x, double factor) {
  const double square = x * x, low = std::fma(x, x, -square);
  const double value = std::exp(factor * square);
  return std::isfinite(low) ? value + value * (factor * low) : value;
}

// exp(x^2) erfc(x)
inline double erfcx(double x) {
  if (x != x) return x;
  if (x < 0) return x < -27 ? INFINITY : 2 * exp_of_square(x, 1) - erfcx(-x);
  if (x < 8) {
    const int k = x < 2 ? static_cast<int>(2 * x) : x < 4 ? 2 + static_cast<int>(x) : x < 6 ? 6 : 7;
    return evaluate(kErfcx[k], x);
  }
  return evaluate(kErfcxLarge[0], 64 / x / x) / x;
}

// The probability of a normal variable below x.
inline double ndtr(double x) {
  if (x < -1) return x < -39 ? 0 : 0.5 * erfcx(-x * kRootHalf) * exp_of_square(x, -0.5);
  if (x > 1) return 1 - ndtr(-x);
  return 0.5 * std::erfc(-x * kRootHalf);
}

inline double log_ndtr(double x) {
  if (x < -1)
    return std::isinf(x) ? -INFINITY : std::log(0.5 * erfcx(-x * kRootHalf)) - 0.5 * x * x;
  return x < 0 ? std::log(ndtr(x)) : std::log1p(-ndtr(-x));
}

// The inverse of ndtr: an initial value (S. Winitzki's approximation of the inverse error
// function), then steps of Halley's method on the distribution, or on its logarithm in the tail.
inline double ndtri(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
  if (p > 0.5) return -ndtri(1 - p);
  if (p == 0.5) return 0;
  const double l = std::log(4 * p) + std::log1p(-p), a = 2 / (M_PI * 0.147) + l / 2;
  double x = -std::sqrt(2 * (std::sqrt(a * a - l / 0.147) - a));
  const double log_p = std::log(p);
  for (int i = 0; i < 5; ++i) {
    double step;
    if (p < 0.05) {
      // The derivative of log_ndtr is the density over the distribution.
      step = (log_ndtr(x) - log_p) * (erfcx(-x * kRootHalf) * (kRootTwoPi / 2));
    } else {
      const double error = p < 0.25 ? ndtr(x) - p : 0.5 * std::erf(x * kRootHalf) - (p - 0.5);
      const double newton = error * kRootTwoPi * std::exp(0.5 * x * x);
      step = newton / (1 + 0.5 * x * newton);
    }
    x -= step;
    if (std::fabs(step) < 4e-9 * std::fabs(x)) break;
  }
  return x;
}

inline double entr(double x) {
  return x > 0 ? -x * std::log(x) : x == 0 ? 0 : x != x ? x : -INFINITY;
}

inline double xlog1py(double x, double y) { return y != y ? y : x == 0 ? 0 : x * std::log1p(y); }

}  // namespace CPU_CAPABILITY
}  // namespace at::native
