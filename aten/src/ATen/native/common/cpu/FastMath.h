#pragma once
// exp, sigmoid and tanh of float registers, inlined: a call to SLEEF costs more than the functions
// themselves, and spills registers in loops that use many. Relative errors of about 2e-7.

#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// exp for -87 <= x <= 88: 2^n times a polynomial of the remainder (the Taylor series to degree 6:
// |r| <= ln(2)/2).
C10_ALWAYS_INLINE Vec<float> exp_within_range(Vec<float> x) {
  using V = Vec<float>::V;
  typedef uint32_t I __attribute__((vector_size(kVecBytes)));  // may wrap, for other x
  const V magic =
      Vec<float>(12582912.0f).v;  // 1.5 * 2^23: adding it rounds to an integer, in the low bits
  V shifted = x.v * 1.44269504f + magic;
  V n = shifted - magic;
  V r = x.v - n * 0.693145752f - n * 1.42860677e-6f;
  V p = r * 1.38888889e-3f + 8.33333333e-3f;
  p = p * r + 4.16666667e-2f;
  p = p * r + 1.66666667e-1f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  I bits = reinterpret_cast<I>(p) + (reinterpret_cast<I>(shifted) << 23);
  return Vec<float>(reinterpret_cast<V>(bits));
}

C10_ALWAYS_INLINE Vec<float> inline_exp(Vec<float> x) {
  x = max(Vec<float>(-87.0f),
          min(Vec<float>(88.0f), x));  // NaN stays: it is the second argument of both
  return where(x != x, x, exp_within_range(x));
}

// exp for x <= 0 or NaN, of a number minus the largest one.
C10_ALWAYS_INLINE Vec<float> exp_up_to_zero(Vec<float> x) {
  Vec<float> e = where(x < Vec<float>(-87.0f), Vec<float>(0.0f), exp_within_range(x));
  return where(x != x, x, e);
}
C10_ALWAYS_INLINE Vec<double> exp_up_to_zero(Vec<double> x) { return exp(x); }

C10_ALWAYS_INLINE Vec<float> inline_sigmoid(Vec<float> x) {
  return Vec<float>(1.0f) / (Vec<float>(1.0f) + inline_exp(-x));
}

// 1 - 2 / (e^2x + 1); near 0, where that loses digits, x times a polynomial of x^2 (Cephes'
// tanhf).
C10_ALWAYS_INLINE Vec<float> inline_tanh(Vec<float> x) {
  using F = Vec<float>;
  F far = F(1.0f) - F(2.0f) / (inline_exp(x + x) + F(1.0f));
  F z = x * x;
  F p = F(-5.70498872745e-3f) * z + F(2.06390887954e-2f);
  p = p * z + F(-5.37397155531e-2f);
  p = p * z + F(1.33314422036e-1f);
  p = p * z + F(-3.33332819422e-1f);
  return where(abs(x) < F(0.625f), x + x * z * p, far);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
