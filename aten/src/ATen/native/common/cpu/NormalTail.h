#pragma once
// The tail of the normal distribution near 0, for registers that hold 32 floats in two.

#include <ATen/native/common/Piecewise.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#if defined(__AVX512F__)
#include <ATen/native/common/cpu/normal_tail_coefficients.h>

// The tail beyond x, for 0 <= x < 8: a polynomial for each quarter, whose coefficients are picked
// out of registers. Neither a quotient nor an exponential.
C10_ALWAYS_INLINE Vec<float> near_normal_tail(Vec<float> x) {
  using V = Vec<float>::V;
  typedef int32_t I __attribute__((vector_size(kVecBytes)));
  const V position = x.v * 4.0f;
  const I piece = __builtin_convertvector(position, I);
  const Vec<float> t = position - (__builtin_convertvector(piece, V) + 0.5f);
  const auto coefficient = [&](int row) {
    const float* c = kNormalTail[row];
    return Vec<float>(
        V(__builtin_shuffle(V(Vec<float>::load(c).v), V(Vec<float>::load(c + 16).v), piece)));
  };
  Vec<float> sum = coefficient(0);
#pragma GCC unroll 8
  for (int row = 1; row < 8; ++row) sum = sum * t + coefficient(row);
  return sum;
}
#endif

}  // namespace CPU_CAPABILITY
}  // namespace at::native
