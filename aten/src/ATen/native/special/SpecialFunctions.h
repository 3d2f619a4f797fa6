#pragma once
// Functions of one number that no library provides in vector form.

#include <cmath>

#include <ATen/native/common/Piecewise.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The logarithmic derivative of the gamma function: recurrence up to 10, then the asymptotic series
// log x - 1/(2x) - sum B_2k / (2k x^2k); reflection below 0 (Abramowitz and
// Stegun 6.3.5, 6.3.7, 6.3.18).
C10_HOST_DEVICE inline double digamma(double x) {
  if (x == 0) return std::copysign(INFINITY, -x);
  double result = 0;
  if (x < 0) {
    // The distance to the nearest whole number is exact, and tan has its period.
    double fraction = x - std::nearbyint(x);
    if (fraction == 0) return NAN;
    result = -M_PI / std::tan(M_PI * fraction);
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  if (x == 10) return result + 2.25175258906672110764;
  double y = 0;
  if (x < 1e17) {
    double z = 1 / (x * x);
    y = z *
        (1.0 / 12 -
         z * (1.0 / 120 -
              z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  }
  return result + std::log(x) - 0.5 / x - y;
}

// B_2k / (2k)!
AT_TABLE double kZetaTerms[] = {1.0 / 12,
                                -1.0 / 720,
                                1.0 / 30240,
                                -1.0 / 1209600,
                                1.0 / 47900160,
                                -691.0 / 1307674368000.0,
                                1.0 / 74724249600.0,
                                -3617.0 / 10670622842880000.0,
                                43867.0 / 5109094217170944000.0};

// Hurwitz zeta function, sum over k >= 0 of (q + k)^-x, by Euler and Maclaurin: nine terms, the
// integral of the rest, and the corrections with Bernoulli numbers. For x > 1 and q >= -32 where
// the terms are finite.
C10_HOST_DEVICE inline double zeta_series(double x, double q) {
  // For large arguments two terms of the asymptotic series are exact.
  if (q > 1e8) return (1 / (x - 1) + 1 / (2 * q)) * std::pow(q, 1 - x);
  double sum = std::pow(q, -x), a = q, b = 0;
  for (int i = 0; i < 9 || a <= 9; ++i) {
    a += 1;
    b = std::pow(a, -x);
    sum += b;
    if (std::fabs(b / sum) < 1e-17) return sum;
  }
  sum += b * a / (x - 1) - 0.5 * b;
  double factor = 1, k = 0;
  for (double term : kZetaTerms) {
    factor *= x + k;
    b /= a;
    double t = factor * b * term;
    sum += t;
    if (std::fabs(t / sum) < 1e-17) break;
    k += 1;
    factor *= x + k;
    b /= a;
    k += 1;
  }
  return sum;
}

C10_HOST_DEVICE inline double hurwitz_zeta(double x, double q) {
  if (x == 1) return INFINITY;
  if (x < 1) return NAN;
  if (q <= 0) {
    if (q == std::floor(q)) return INFINITY;
    if (x != std::floor(x)) return NAN;
  }
  if (!(q < -32)) return zeta_series(x, q);
  // The terms up to 0 form another such sum, from there down to q, so their number costs nothing.
  const double fraction = q - std::floor(q), sign = std::fmod(x, 2) == 0 ? 1 : -1;
  const double near = zeta_series(x, fraction) + sign * zeta_series(x, 1 - fraction);
  return near - sign * zeta_series(x, 1 - q);
}

// The first derivative of digamma for x >= 0.5: psi'(x) = 1 / x^2 + psi'(x + 1) up to `large`,
// where the asymptotic series (DLMF 5.15.8) holds: with an error of 1e-18 from 10 on, of 1e-10 from
// 4 on. Small terms are added first, two with one division.
C10_HOST_DEVICE inline double trigamma(double x, int large) {
  const int steps = x < large ? static_cast<int>(std::ceil(large - x)) : 0;
  const double r = 1 / (x + steps), z = r * r;
  const double last = 7.0 / 6 - z * (3617.0 / 510);
  const double corrections =
      1.0 / 6 -
      z * (1.0 / 30 -
           z * (1.0 / 42 - z * (1.0 / 30 - z * (5.0 / 66 - z * (691.0 / 2730 - z * last)))));
  double sum = z * (0.5 + r * corrections) + r;
  int k = steps - 1;
  for (; k > 0; k -= 2) {
    const double a = (x + k) * (x + k), b = (x + k - 1) * (x + k - 1);
    sum += (a + b) / (a * b);
  }
  return k == 0 ? sum + 1 / (x * x) : sum;
}

// The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x). The first one has digits for
// results of type T.
template <typename T = double>
C10_HOST_DEVICE inline double polygamma(int64_t n, double x) {
  constexpr int kLarge = sizeof(T) == 8 ? 10 : 4;
  if (n == 0) return digamma(x);
  if (std::isinf(x)) return x > 0 ? 0 : NAN;
  if (n == 1 && x < 0.5 && x == x) {
    // Reflection: psi'(x) + psi'(1 - x) = (pi / sin(pi x))^2.
    double s = M_PI / std::sin(M_PI * (x - std::nearbyint(x)));
    return x == std::floor(x) ? INFINITY : s * s - trigamma(1 - x, kLarge);
  }
  if (n == 1) return trigamma(x, kLarge);
  double sign = n % 2 ? 1 : -1;
  return sign * std::exp(std::lgamma(static_cast<double>(n) + 1)) *
         hurwitz_zeta(static_cast<double>(n) + 1, x);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
