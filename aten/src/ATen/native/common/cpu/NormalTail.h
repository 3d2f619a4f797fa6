#pragma once
// The tail of the normal distribution near 0, for registers that hold 32 floats in two.

#include <ATen/native/common/Piecewise.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The end of the last piece.
constexpr float kEndOfNormalTail = 7.875f, kEndOfNormalTailOfHalves = 7.75f;

#if defined(__AVX512F__)
#include <ATen/native/common/cpu/normal_tail_coefficients.h>

// And its derivative, which costs nothing where it is not used.
struct Tail {
  Vec<float> value, slope;
};

// A polynomial around the nearest multiple of 8 / kPieces, whose coefficients are picked out of
// registers: neither a quotient nor an exponential. c: highest power first.
template <int kTerms, int kPieces>
C10_ALWAYS_INLINE Tail tail_polynomial(const float (&c)[kTerms][kPieces], Vec<float> x) {
  using V = Vec<float>::V;
  typedef int32_t I __attribute__((vector_size(kVecBytes)));
  // In sums with this the last bit stands for 8 / kPieces: they are rounded to that, and their low
  // bits are the number of the piece.
  constexpr float kRound = 1.5f * (1 << 23) * (8.0f / kPieces);
  const V rounded = x.v + kRound;
  const I piece = I(rounded);
  const Vec<float> t = x.v - (rounded - kRound);
  const auto coefficient = [&](int row) {
    const V low = Vec<float>::load(c[row]).v;
    if constexpr (kPieces == 16) return Vec<float>(V(__builtin_shuffle(low, piece)));
    else return Vec<float>(V(__builtin_shuffle(low, Vec<float>::load(c[row] + 16).v, piece)));
  };
  Tail tail{coefficient(0), Vec<float>(0.0f)};
#pragma GCC unroll 8
  for (int row = 1; row < kTerms; ++row) {
    tail.slope = tail.slope * t + tail.value;
    tail.value = tail.value * t + coefficient(row);
  }
  return tail;
}

// The tail beyond x, for 0 <= x < 7.875.
C10_ALWAYS_INLINE Vec<float> near_normal_tail(Vec<float> x) {
  return tail_polynomial(kNormalTail, x).value;
}
// The same, as accurate as results that are rounded to halves need, for 0 <= x < 7.75.
C10_ALWAYS_INLINE Tail near_normal_tail_of_halves(Vec<float> x) {
  return tail_polynomial(kNormalTailOfHalves, x);
}
#endif

}  // namespace CPU_CAPABILITY
}  // namespace at::native
