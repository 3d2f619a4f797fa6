#pragma once
// The regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x).
//
// As in W. Gautschi, "A computational procedure for incomplete gamma functions", 1979: a series
// below x = a, a continued fraction above it, and for large a near x Temme's uniform expansion
// (DLMF 8.12). The factor that they share, x^a exp(-x) / Gamma(a + 1), is computed in long double.

#include <cmath>
#include <type_traits>

#include <ATen/native/common/Piecewise.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special_gamma/gamma_coefficients.h>

// W is the type of intermediate results: long double, or double on devices that have no wider one.

// The part of log Gamma(a) beyond its leading terms (DLMF 5.11.1), for a >= 20.
template <typename W>
C10_HOST_DEVICE W stirling_rest(W a) {
  const W z = 1 / (a * a);
  return (W(1 / 12.0L) -
          z * (W(1 / 360.0L) -
               z * (W(1 / 1260.0L) -
                    z * (W(1 / 1680.0L) - z * (W(1 / 1188.0L) - z * W(691 / 360360.0L)))))) /
         a;
}

template <typename W>
constexpr W kTwoPi = W(6.283185307179586476925L);

// 1 / Gamma(a + 1) for 0 <= a < 20, from Gamma(a + 1) = a Gamma(a).
template <typename W>
C10_HOST_DEVICE W reciprocal_gamma(W a) {
  const int steps = static_cast<int>(a);
  const W rest = a - steps;
  W product = 1;
  for (int k = 1; k <= steps; ++k) product *= rest + k;
  const double r = static_cast<double>(rest);
  return evaluate(kReciprocalGamma[r < 0.5 ? 0 : 1], r) / product;
}

// x^a exp(-x) / Gamma(a + 1). For large a in W: the rounding of an exponent is an error as large as
// the exponent.
template <typename W>
C10_HOST_DEVICE W gamma_factor(W a, W x) {
  if (a < 20) {
    if (x > 700) return std::pow(x, a) * std::exp(-x) * reciprocal_gamma(a);
    const double wide = static_cast<double>(x);
    return std::pow(wide, static_cast<double>(a)) * std::exp(-wide) * reciprocal_gamma(a);
  }
  const W mu = (x - a) / a;
  return std::exp(a * (std::log1p(mu) - mu) - stirling_rest(a)) / std::sqrt(kTwoPi<W> * a);
}

constexpr int kMaxTerms = 10000;
// Sums in F end with terms below this, for results in float64.
template <typename F>
constexpr F kEnough = sizeof(F) > 8 ? F(1e-18L) : F(1e-17);

// P by its series (DLMF 8.11.4). F is the type of the sum.
template <typename F, typename W>
C10_HOST_DEVICE double lower_series(F a, F x, F enough) {
  F sum = 1, term = 1;
  for (int n = 1; n < kMaxTerms; ++n) {
    term *= x / (a + n);
    sum += term;
    if (term < enough * sum) break;
  }
  return static_cast<double>(sum * gamma_factor<W>(a, x));
}

// Q by Legendre's continued fraction (DLMF 8.9.2), as the product of the ratios of its convergents
// (Lentz).
template <typename F, typename W>
C10_HOST_DEVICE double upper_fraction(F a, F x, F enough) {
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
    if (std::fabs(factor - 1) < enough) break;
  }
  return static_cast<double>(product * a * gamma_factor<W>(a, x));
}

// log Gamma(1 + a), 0 <= a <= 1
template <typename W>
C10_HOST_DEVICE W log_gamma_1p(W a) {
  if (a > 0.3) return std::lgamma(1 + a);
  W sum = 0;
  constexpr int kTerms = sizeof(kLogGamma1p) / sizeof(kLogGamma1p[0]);
  for (int k = kTerms - 1; k >= 0; --k) sum = sum * a + static_cast<W>(kLogGamma1p[k]);
  return sum * a;
}

// Q for small a and x, where P may be close to 1: 1 - x^a / Gamma(1 + a) * (1 + a sum of (-x)^n /
// ((a + n) n!)).
template <typename W>
C10_HOST_DEVICE double upper_small(W a, W x) {
  W sum = 0, power = 1;
  for (int n = 1; n < 100; ++n) {
    power *= -x / n;
    const W term = power / (a + n);
    sum += term;
    if (std::fabs(term) < W(1e-20L) * std::fabs(sum)) break;
  }
  const W u = std::expm1(a * std::log(x) - log_gamma_1p(a)), s = a * sum;
  return static_cast<double>(-(u + s + u * s));
}

// Temme's expansion: Q (or P, if `lower`) is half of erfc, and a series in 1 / a.
template <typename W>
C10_HOST_DEVICE double uniform(double a, double x, bool lower) {
  const W wide_a = a, mu = (x - wide_a) / wide_a, difference = mu - std::log1p(mu);
  const W half_square = difference > 0 ? difference : W(0);
  const double eta = static_cast<double>(std::copysign(std::sqrt(2 * half_square), mu));
  constexpr int kRows = sizeof(kTemme) / sizeof(kTemme[0]),
                kTerms = sizeof(kTemme[0]) / sizeof(double);
  double series = 0;
  for (int k = kRows - 1; k >= 0; --k) {
    double row = 0;
    for (int j = kTerms - 1; j >= 0; --j) row = row * eta + kTemme[k][j];
    series = series / a + row;
  }
  const W rest = std::exp(-wide_a * half_square) / std::sqrt(kTwoPi<W> * wide_a) * series;
  // erfc keeps its digits for arguments of both signs.
  const W root = std::copysign(std::sqrt(wide_a * half_square), mu);
  return static_cast<double>(lower ? W(0.5L) * std::erfc(-root) - rest
                                   : W(0.5L) * std::erfc(root) + rest);
}

// F is the type of sums, which end with terms below `enough`.
template <typename F, typename W>
C10_HOST_DEVICE double incomplete_gamma(double a, double x, bool lower, F enough = kEnough<F>) {
  if (!(a >= 0 && x >= 0)) return NAN;
  const double none = lower ? 0 : 1, all = lower ? 1 : 0;
  if (a == 0) return x > 0 ? all : NAN;
  if (x == 0) return none;
  if (std::isinf(a)) return std::isinf(x) ? NAN : none;
  if (std::isinf(x)) return all;
  if (a > 200 && std::fabs(x - a) < 0.3 * a) return uniform<W>(a, x, lower);
  if (x <= 1.1 && a < 1) return lower ? lower_series<F, W>(a, x, enough) : upper_small<W>(a, x);
  if (x <= a || x <= 1.1)
    return lower ? lower_series<F, W>(a, x, enough) : 1 - lower_series<F, W>(a, x, enough);
  return lower ? 1 - upper_fraction<F, W>(a, x, enough) : upper_fraction<F, W>(a, x, enough);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
