#pragma once
// The tail of the normal distribution near 0, for registers that hold 32 floats in two.

#include <ATen/native/common/Piecewise.h>
#include <ATen/native/common/cpu/NearestPiece.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The end of the last piece.
constexpr float kEndOfNormalTail = 7.875f, kEndOfNormalTailOfHalves = 7.75f;

#if defined(__AVX512F__)
#include <ATen/native/common/cpu/normal_tail_coefficients.h>

// The tail beyond x, for 0 <= x < 7.875.
C10_ALWAYS_INLINE Vec<float> near_normal_tail(Vec<float> x) {
  return nearest_piece(kNormalTail, x, x).value;
}
// The same, as accurate as results that are rounded to halves need, for 0 <= x < 7.75.
C10_ALWAYS_INLINE ValueAndSlope near_normal_tail_of_halves(Vec<float> x) {
  return nearest_piece(kNormalTailOfHalves, x, x);
}
#endif

}  // namespace CPU_CAPABILITY
}  // namespace at::native
