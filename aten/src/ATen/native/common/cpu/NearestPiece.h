#pragma once
// Polynomials around neighbouring points, for registers that hold 32 floats in two.

#include <ATen/native/common/cpu/Vec.h>

#if defined(__AVX512F__)

namespace at::native {
inline namespace CPU_CAPABILITY {

// A value and its derivative, which costs nothing where it is not used.
struct ValueAndSlope {
  Vec<float> value, slope;
};

// The polynomial around the nearest multiple of 8 / kPieces, whose coefficients are picked out of
// registers: for functions of which other formulas need a quotient or an exponential. c: highest
// power first. `near` chooses the piece: x, or less where the last piece goes on.
template <int kTerms, int kPieces>
C10_ALWAYS_INLINE ValueAndSlope nearest_piece(const float (&c)[kTerms][kPieces], Vec<float> x,
                                              Vec<float> near) {
  using V = Vec<float>::V;
  typedef int32_t I __attribute__((vector_size(kVecBytes)));
  // In sums with this the last bit stands for 8 / kPieces: they are rounded to that, and their low
  // bits are the number of the piece.
  constexpr float kRound = 1.5f * (1 << 23) * (8.0f / kPieces);
  const V rounded = near.v + kRound;
  const I piece = I(rounded);
  const Vec<float> t = x.v - (rounded - kRound);
  const auto coefficient = [&](int row) {
    const V low = Vec<float>::load(c[row]).v;
    if constexpr (kPieces == 16) return Vec<float>(V(__builtin_shuffle(low, piece)));
    else return Vec<float>(V(__builtin_shuffle(low, Vec<float>::load(c[row] + 16).v, piece)));
  };
  ValueAndSlope sum{coefficient(0), Vec<float>(0.0f)};
#pragma GCC unroll 8
  for (int row = 1; row < kTerms; ++row) {
    sum.slope = sum.slope * t + sum.value;
    sum.value = sum.value * t + coefficient(row);
  }
  return sum;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
#endif
