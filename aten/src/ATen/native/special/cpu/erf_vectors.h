#pragma once
// The error function, of vectors. VecMath.h has the polynomials that others share.

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special/cpu/erf_coefficients.h>

inline Vec<float> erf_of(Vec<float> x) { return error_function(x); }
inline Doubles erf_of(Doubles x) {
  const Doubles size = abs(x);
  Doubles value = x + x * error_ratio(x * x);
  const auto far = size > Doubles(1.0);
  if (any(far)) {
    const auto piece = piece_number(size - 1.0, 1.6);
    const Doubles smooth = evaluate<kErf>(piece, size);
    // From here on the result rounds to 1.
    const Doubles positive = where(size < Doubles(5.93), smooth, Doubles(1.0));
    value = where(far, copysign(positive, x), value);
  }
  return value;
}

// For results in half types.
inline Vec<float> erf_for_half(Vec<float> x) {
  const Vec<float> near = max(Vec<float>(-3.5f), min(Vec<float>(3.5f), x));
  const Vec<float> u = near * near * (2 / 12.25f) - 1.0f;
  Vec<float> sum(kErfForHalf[0]);
  for (size_t k = 1; k < std::size(kErfForHalf); ++k) sum = sum * u + kErfForHalf[k];
  return near * sum;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
