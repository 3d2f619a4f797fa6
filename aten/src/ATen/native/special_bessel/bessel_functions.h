#pragma once
// Bessel functions of the first orders and the Airy function, of one number.
//
// Between 0 and 8 they are polynomials over intervals. Beyond, they are polynomials in 1 / x times
// the leading term of the asymptotic expansion (DLMF 10.40, 9.7).

#include <cmath>

#include <ATen/native/common/Piecewise.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special_bessel/bessel_coefficients.h>

// The interval of x among (first end, twice that, ...); `last` for all beyond, and for NaN.
C10_HOST_DEVICE inline int interval(double x, double end, int last) {
  int k = 0;
  while (k < last && !(x < end)) {
    end *= 2;
    ++k;
  }
  return k;
}

// A function of x >= 8 from its table in 8 / x.
C10_HOST_DEVICE inline double beyond_8(const Piece* table, double x) {
  const double t = 8 / x;
  return evaluate(table[interval(t, 0.25, 2)], t) / std::sqrt(x);
}

// exp(x), also where it overflows but `factor` does not let the product do so.
C10_HOST_DEVICE inline double exp_times(double x, double factor) {
  if (std::fabs(x) < 700) return std::exp(x) * factor;
  const double half = std::exp(x / 2);
  return half * factor * half;
}

C10_HOST_DEVICE inline double bessel_i0e(double x) {
  x = std::fabs(x);
  return x < 8 ? evaluate(kI0e[static_cast<int>(x)], x) : beyond_8(kI0eLarge, x);
}
C10_HOST_DEVICE inline double bessel_i1e(double x) {
  const double size = std::fabs(x);
  const double value =
      size < 8 ? size * evaluate(kI1e[static_cast<int>(size)], size) : beyond_8(kI1eLarge, size);
  return std::copysign(value, x);
}
C10_HOST_DEVICE inline double bessel_i0(double x) {
  return std::isinf(x) ? INFINITY : exp_times(std::fabs(x), bessel_i0e(x));
}
C10_HOST_DEVICE inline double bessel_i1(double x) {
  return std::isinf(x) ? x : exp_times(std::fabs(x), bessel_i1e(x));
}

constexpr double kHalfExpGamma = 0.89053620899509899;  // exp(Euler's constant) / 2

// Interval of x in [1, 8).
C10_HOST_DEVICE inline int interval_of_k(double x) {
  return x < 1.5 ? 0 : x < 2 ? 1 : x < 4 ? 2 : 3;
}

// DLMF 10.31.2.
C10_HOST_DEVICE inline double small_k0(double x) {
  return evaluate(kK0Small[0], x * x) - std::log(x * kHalfExpGamma) * bessel_i0(x);
}
C10_HOST_DEVICE inline double small_k1(double x) {
  return 1 / x + std::log(x * kHalfExpGamma) * bessel_i1(x) - x * evaluate(kK1Small[0], x * x);
}
C10_HOST_DEVICE inline double scaled_k(const Piece* middle, const Piece* large, double x) {
  return x < 8 ? evaluate(middle[interval_of_k(x)], x) / std::sqrt(x) : beyond_8(large, x);
}

C10_HOST_DEVICE inline double bessel_k0e(double x) {
  if (!(x > 0)) return x == 0 ? INFINITY : NAN;
  return x < 1 ? std::exp(x) * small_k0(x) : scaled_k(kK0e, kK0eLarge, x);
}
C10_HOST_DEVICE inline double bessel_k1e(double x) {
  if (!(x > 0)) return x == 0 ? INFINITY : NAN;
  return x < 1 ? std::exp(x) * small_k1(x) : scaled_k(kK1e, kK1eLarge, x);
}
C10_HOST_DEVICE inline double bessel_k0(double x) {
  if (!(x > 0)) return x == 0 ? INFINITY : NAN;
  return x < 1 ? small_k0(x) : exp_times(-x, scaled_k(kK0e, kK0eLarge, x));
}
C10_HOST_DEVICE inline double bessel_k1(double x) {
  if (!(x > 0)) return x == 0 ? INFINITY : NAN;
  return x < 1 ? small_k1(x) : exp_times(-x, scaled_k(kK1e, kK1eLarge, x));
}

C10_HOST_DEVICE inline double spherical_j0(double x) {
  return x == 0 ? 1 : std::isinf(x) ? 0 : std::sin(x) / x;
}

// 2/3 x^(3/2) for x > 0, as the sum of two numbers: its sine and its exponential need the digits
// beyond a double.
struct Zeta {
  double high, low;
};
C10_HOST_DEVICE inline Zeta airy_zeta(double x) {
  const double root = std::sqrt(x), root_low = std::fma(-root, root, x) / (2 * root);
  const double product = x * root, product_low = std::fma(x, root, -product) + x * root_low;
  constexpr double kTwoThirds = 2.0 / 3, kRest = 3.7007434154171883e-17;  // 2/3 - kTwoThirds
  const double high = product * kTwoThirds;
  return {high, std::fma(product, kTwoThirds, -high) + product * kRest + product_low * kTwoThirds};
}

C10_HOST_DEVICE inline double airy_ai(double x) {
  if (x != x) return x;
  if (x > 108) return 0;
  if (x >= 2) {
    const Zeta zeta = airy_zeta(x);
    const double t = 2 / x, root = std::sqrt(std::sqrt(x));
    const int k = t < 0.06 ? 0 : t < 0.125 ? 1 : t < 0.25 ? 2 : t < 0.5 ? 3 : 4;
    return exp_times(-zeta.high, evaluate(kAiryLarge[k], t) / root * (1 - zeta.low));
  }
  if (x >= 0) return evaluate(kAirySmall[static_cast<int>(2 * x)], x);
  if (x > -9) return evaluate(kAiryMiddle[static_cast<int>(std::floor(x)) + 9], x);
  if (std::isinf(x)) return 0;
  const Zeta zeta = airy_zeta(-x);
  if (!std::isfinite(zeta.high)) return 0;
  // cos and sin of zeta - pi/4.
  const double s = std::sin(zeta.high), c = std::cos(zeta.high);
  const double rest_sine = std::sin(zeta.low), rest_cosine = std::cos(zeta.low);
  const double sine = s * rest_cosine + c * rest_sine, cosine = c * rest_cosine - s * rest_sine;
  const double w = 1 / (zeta.high * zeta.high);
  const double f = evaluate(kAiryCosine[0], w), g = evaluate(kAirySine[0], w) / zeta.high;
  constexpr double kScale = 0.39894228040143268;  // 1 / sqrt(2 pi)
  return kScale / std::sqrt(std::sqrt(-x)) * ((cosine + sine) * f + (sine - cosine) * g);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
