#pragma once
// The inverse of the error function, for vectors: inverse_error_terms.h has the formulas. The
// polynomials in float have relative errors of 2e-8.

#include <cmath>

#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/special/inverse_error_terms.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
struct InverseErrorTerms;
template <>
struct InverseErrorTerms<double> {
  static constexpr auto& kMiddle = kInverseErrorMiddle;
  static constexpr auto& kTail = kInverseErrorTail;
  static constexpr auto& kFarTail = kInverseErrorFarTail;
};
template <>
struct InverseErrorTerms<float> {
  static constexpr float kMiddle[] = {6.20275451e-05f, -0.00013095719f, -0.000233311555f,
                                      0.00123884177f,  -0.0012852012f,  -0.00413865438f,
                                      0.0178107645f,   -0.0226043307f,  -0.058922687f,
                                      0.750494317f,    1.65365456f};
  static constexpr float kTail[] = {
      6.06285645e-06f, -3.75140112e-06f, -4.81052556e-05f, 0.00017489639f, -0.000400397638f,
      0.000786465765f, -0.0015825699f,   0.00302136818f,   0.753944226f,   3.08388561f};
};

template <typename T>
Vec<T> inverse_error(Vec<T> x) {
  using Terms = InverseErrorTerms<T>;
  const Vec<T> size = abs(x), one(T(1));
  const Vec<T> w = -log((one - size) * (one + size));
  Vec<T> ratio = accurate_polynomial(w * T(0.32) - one, Terms::kMiddle);
  if (any(w > T(6.25))) {
    const Vec<T> root = sqrt(w);
    ratio =
        where(w > T(6.25), accurate_polynomial((root - T(3.25)) * T(4.0 / 3), Terms::kTail), ratio);
    if constexpr (sizeof(T) == 8) {
      if (any(w > T(16)))
        ratio = where(w > T(16),
                      accurate_polynomial((root - T(5.025)) / Vec<T>(T(1.025)), Terms::kFarTail),
                      ratio);
    }
    ratio = where(size == one, Vec<T>(T(INFINITY)), ratio);
  }
  return x * ratio;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
