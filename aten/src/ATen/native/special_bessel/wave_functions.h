#pragma once
// Bessel functions J and Y of orders 0 and 1, of one number: polynomials up to 8, Hankel's
// expansion beyond (DLMF 10.18).

#include <cmath>

#include <ATen/native/common/Piecewise.h>
#include <ATen/native/special_bessel/bessel_functions.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special_bessel/wave_coefficients.h>

constexpr double kTwoOverPi = 0.63661977236758134308;

// The terms of Hankel's expansion for x >= 8: p and q, and the sum and difference of sine and
// cosine, which are those of x - pi / 4 but for a factor.
struct Hankel {
  double p, q, sum, difference;
  C10_HOST_DEVICE Hankel(const Piece* p_table, const Piece* q_table, double x) {
    const double t = 8 / x, size = std::sqrt(x * M_PI);
    const int k = interval(t, 0.25, 2);
    p = evaluate(p_table[k], t) / size;
    q = evaluate(q_table[k], t) / x / size;
    const double s = std::sin(x), c = std::cos(x);
    sum = s + c;
    difference = s - c;
  }
};

C10_HOST_DEVICE inline double bessel_j0(double x) {
  x = std::fabs(x);
  if (x < 8) return evaluate(kJ0[static_cast<int>(x)], x);
  if (std::isinf(x)) return 0;
  const Hankel h(kP0, kQ0, x);
  return h.p * h.sum - h.q * h.difference;
}

C10_HOST_DEVICE inline double bessel_j1(double x) {
  const double size = std::fabs(x);
  if (size < 1) return x * evaluate(kJ1Small[0], size);
  if (size < 8) return std::copysign(1.0, x) * evaluate(kJ1[static_cast<int>(size) - 1], size);
  if (std::isinf(x)) return std::copysign(0.0, x);
  const Hankel h(kP1, kQ1, size);
  return std::copysign(1.0, x) * (h.p * h.difference + h.q * h.sum);
}

// Minus infinity at 0, no number below.
C10_HOST_DEVICE inline double bessel_y0(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
  if (x < 2) return kTwoOverPi * std::log(x) * bessel_j0(x) + evaluate(kY0Small[0], x * x);
  if (x < 8) return evaluate(kY0[static_cast<int>(x) - 2], x);
  if (std::isinf(x)) return 0;
  const Hankel h(kP0, kQ0, x);
  return h.p * h.difference + h.q * h.sum;
}

C10_HOST_DEVICE inline double bessel_y1(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
  if (x < 2)
    return kTwoOverPi * (std::log(x) * bessel_j1(x) - 1 / x) + x * evaluate(kY1Small[0], x * x);
  if (x < 8) return evaluate(kY1[static_cast<int>(x) - 2], x);
  if (std::isinf(x)) return 0;
  const Hankel h(kP1, kQ1, x);
  return h.q * h.difference - h.p * h.sum;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
