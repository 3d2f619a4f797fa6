#pragma once
// Logarithms and powers to base 2 of doubles with errors of 1e-14, for results in float.

#include <cmath>

#include <ATen/native/common/cpu/ByDoubles.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

typedef uint64_t DoubleBits __attribute__((vector_size(sizeof(Doubles))));  // they may wrap

// log2(x) of a positive float: its exponent, and for a mantissa m between sqrt(1/2) and sqrt(2)
// twice the series of the inverse hyperbolic tangent of s = (m - 1) / (m + 1), |s| < 0.172.
C10_ALWAYS_INLINE Doubles binary_logarithm(Doubles x) {
  constexpr uint64_t kOne = 0x3ff0000000000000, kRootOfHalf = 0x3fe6a09e667f3bcd;
  const DoubleBits bits = DoubleBits(x.v), biased = (bits + (kOne - kRootOfHalf)) >> 52;
  const Doubles m(Doubles::V(bits - ((biased - 1023) << 52)));
  // 2^52 plus the biased exponent, less that
  const Doubles exponent =
      Doubles(Doubles::V(biased | DoubleBits(Doubles(4503599627370496.0).v))) - 4503599627371519.0;
  const Doubles s = (m - 1.0) / (m + 1.0), u = s * s, u2 = u * u;
  constexpr double c = 2 * M_LOG2E;
  const Doubles low = u * (c / 3) + c + (u * (c / 7) + c / 5) * u2;
  const Doubles high = u * (c / 11) + c / 9 + (u * (c / 15) + c / 13) * u2;
  return (high * (u2 * u2) + low) * s + exponent;
}

// 2^x for |x| < 1000, by the Taylor series of the exponential up to the tenth power.
C10_ALWAYS_INLINE Doubles binary_exponential(Doubles x) {
  const Doubles room(6755399441055744.0);  // 1.5 * 2^52: the sum ends in the nearest integer
  const Doubles sum = x + room, g = (x - (sum - room)) * M_LN2, g2 = g * g, g4 = g2 * g2;
  const Doubles low = g * (1.0 / 6) + 1.0 / 2 + (g * (1.0 / 120) + 1.0 / 24) * g2;
  const Doubles high =
      g * (1.0 / 5040) + 1.0 / 720 + (g * (1.0 / 362880) + 1.0 / 40320 + g2 * (1.0 / 3628800)) * g2;
  const Doubles power = (high * g4 + low) * g2 + g + 1.0;
  return Doubles(Doubles::V(DoubleBits(power.v) + (DoubleBits(sum.v) << 52)));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
