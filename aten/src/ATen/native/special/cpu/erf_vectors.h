#pragma once
// The error function, of vectors. VecMath.h has the polynomials that others share.

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special/cpu/erf_coefficients.h>

constexpr double kErfPiecesPerUnit = 2.2, kLastErfPiece = 11;  // from 1 on

inline Vec<float> erf_of(Vec<float> x) { return error_function(x); }
inline Doubles erf_of(Doubles x) {
  const Doubles size = abs(x), one(1.0);
  const auto piece = piece_number(size, kErfPiecesPerUnit, kErfPiecesPerUnit - 1, kLastErfPiece);
  const auto near = piece == Doubles::Mask{};
  const Doubles value = evaluate<kErf>(piece, where(near, x * x, size));
  const Doubles sum = value * where(near, x, copysign(one, x)) + where(near, x, Doubles(0.0));
  // From here on the result rounds to 1.
  return where(size >= Doubles(5.93), copysign(one, x), sum);
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
