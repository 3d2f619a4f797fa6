#pragma once
// The regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x).
//
// As in W. Gautschi, "A computational procedure for incomplete gamma functions", 1979: a series
// below x = a, a continued fraction above it, and for large a near x Temme's uniform expansion
// (DLMF 8.12). The factor that they share, x^a exp(-x) / Gamma(a + 1), is computed in long double.

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <ATen/native/common/cpu/Piecewise.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special_gamma/cpu/gamma_coefficients.h>

// The part of log Gamma(a) beyond its leading terms (DLMF 5.11.1), for a >= 20.
inline long double stirling_rest(long double a) {
  const long double z = 1 / (a * a);
  return (1 / 12.0L -
          z * (1 / 360.0L -
               z * (1 / 1260.0L - z * (1 / 1680.0L - z * (1 / 1188.0L - z * (691 / 360360.0L)))))) /
         a;
}

constexpr long double kTwoPi = 6.283185307179586476925L;

// 1 / Gamma(a + 1) for 0 <= a < 20, from Gamma(a + 1) = a Gamma(a).
inline long double reciprocal_gamma(long double a) {
  const int steps = static_cast<int>(a);
  const long double rest = a - steps;
  long double product = 1;
  for (int k = 1; k <= steps; ++k) product *= rest + k;
  const double r = static_cast<double>(rest);
  return evaluate(kReciprocalGamma[r < 0.5 ? 0 : 1], r) / product;
}

// x^a exp(-x) / Gamma(a + 1). For large a in long double: the rounding of an exponent is an error
// as large as the exponent.
inline long double gamma_factor(long double a, long double x) {
  if (a < 20) {
    if (x > 700) return std::pow(x, a) * std::exp(-x) * reciprocal_gamma(a);
    const double wide = static_cast<double>(x);
    return std::pow(wide, static_cast<double>(a)) * std::exp(-wide) * reciprocal_gamma(a);
  }
  const long double mu = (x - a) / a;
  return std::exp(a * (std::log1p(mu) - mu) - stirling_rest(a)) / std::sqrt(kTwoPi * a);
}

constexpr int kMaxTerms = 10000;
// Sums end with terms below this. Results in float32 are summed in double, those in float64 in long
// double.
template <typename F>
constexpr F kEnough = std::is_same_v<F, double> ? F(1e-9) : F(1e-18L);

// P by its series (DLMF 8.11.4). F is the type of the sum.
template <typename F>
double lower_series(F a, F x) {
  F sum = 1, term = 1;
  for (int n = 1; n < kMaxTerms; ++n) {
    term *= x / (a + n);
    sum += term;
    if (term < kEnough<F> * sum) break;
  }
  return static_cast<double>(sum * gamma_factor(a, x));
}

// Q by Legendre's continued fraction (DLMF 8.9.2), as the product of the ratios of its convergents
// (Lentz).
template <typename F>
double upper_fraction(F a, F x) {
  F b = x + 1 - a, c = F(1e300), d = 1 / b, product = d;
  for (int n = 1; n < kMaxTerms; ++n) {
    const F numerator = n * (a - n);
    b += 2;
    d = numerator * d + b;
    c = b + numerator / c;
    d = 1 / (d == 0 ? F(1e-300) : d);
    if (c == 0) c = F(1e-300);
    const F factor = c * d;
    product *= factor;
    if (std::fabs(factor - 1) < kEnough<F>) break;
  }
  return static_cast<double>(product * a * gamma_factor(a, x));
}

// log Gamma(1 + a), 0 <= a <= 1
inline long double log_gamma_1p(long double a) {
  if (a > 0.3) return std::lgamma(1 + a);
  long double sum = 0;
  constexpr int kTerms = sizeof(kLogGamma1p) / sizeof(kLogGamma1p[0]);
  for (int k = kTerms - 1; k >= 0; --k) sum = sum * a + kLogGamma1p[k];
  return sum * a;
}

// Q for small a and x, where P may be close to 1: 1 - x^a / Gamma(1 + a) * (1 + a sum of (-x)^n /
// ((a + n) n!)).
inline double upper_small(long double a, long double x) {
  long double sum = 0, power = 1;
  for (int n = 1; n < 100; ++n) {
    power *= -x / n;
    const long double term = power / (a + n);
    sum += term;
    if (std::fabs(term) < 1e-20L * std::fabs(sum)) break;
  }
  const long double u = std::expm1(a * std::log(x) - log_gamma_1p(a)), s = a * sum;
  return static_cast<double>(-(u + s + u * s));
}

// Temme's expansion: Q (or P, if `lower`) is half of erfc, and a series in 1 / a.
inline double uniform(double a, double x, bool lower) {
  const long double wide_a = a, mu = (x - wide_a) / wide_a,
                    half_square = std::max(0.0L, mu - std::log1p(mu));
  const double eta = static_cast<double>(std::copysign(std::sqrt(2 * half_square), mu));
  constexpr int kRows = sizeof(kTemme) / sizeof(kTemme[0]),
                kTerms = sizeof(kTemme[0]) / sizeof(double);
  double series = 0;
  for (int k = kRows - 1; k >= 0; --k) {
    double row = 0;
    for (int j = kTerms - 1; j >= 0; --j) row = row * eta + kTemme[k][j];
    series = series / a + row;
  }
  const long double rest = std::exp(-wide_a * half_square) / std::sqrt(kTwoPi * wide_a) * series;
  // erfc keeps its digits for arguments of both signs.
  const long double root = std::copysign(std::sqrt(wide_a * half_square), mu);
  return static_cast<double>(lower ? 0.5L * std::erfc(-root) - rest
                                   : 0.5L * std::erfc(root) + rest);
}

template <typename F>
double incomplete_gamma(double a, double x, bool lower) {
  if (!(a >= 0 && x >= 0)) return NAN;
  const double none = lower ? 0 : 1, all = lower ? 1 : 0;
  if (a == 0) return x > 0 ? all : NAN;
  if (x == 0) return none;
  if (std::isinf(a)) return std::isinf(x) ? NAN : none;
  if (std::isinf(x)) return all;
  if (a > 200 && std::fabs(x - a) < 0.3 * a) return uniform(a, x, lower);
  if (x <= 1.1 && a < 1) return lower ? lower_series<F>(a, x) : upper_small(a, x);
  if (x <= a || x <= 1.1) return lower ? lower_series<F>(a, x) : 1 - lower_series<F>(a, x);
  return lower ? 1 - upper_fraction<F>(a, x) : upper_fraction<F>(a, x);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
