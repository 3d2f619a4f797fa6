#pragma once
// Logarithms of doubles, inlined: errors of less than one unit in the last place.

#include <limits>

#include <ATen/native/common/cpu/Exponential.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// x = 2^e (1 + r), with 1 + r from sqrt(1/2) to sqrt(2). With s = r / (2 + r), log(1 + r) is
// 2 artanh(s) = 2s + s R(s^2), which is r - r^2 / 2 + s (r^2 / 2 + R): that rounds less.
inline Vec<double> log(Vec<double> x) {
  using D = Vec<double>;
  using Bits = ExponentialTerms<double>::Bits;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // R(z) / z, highest power first: `tools.fit double_logarithm`.
  static constexpr double kTerms[] = {
      0x1.2b584aae78a57p-3, 0x1.39fe606542ddep-3, 0x1.7462b4ab2ef6bp-3, 0x1.c71c62e5800a1p-3,
      0x1.2492492df148dp-2, 0x1.99999999952e2p-2, 0x1.5555555555558p-1};
  constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  const auto ordinary = (x >= D(std::numeric_limits<double>::min())) & (x < D(kInfinity));
  // The exponent is the low bits of a double whose last bit stands for 1: AVX2 neither shifts 64
  // bits with their sign nor converts them.
  constexpr double kWhole = 0x1.8p52;
  constexpr uint64_t kOffset = 2048;
  const Bits biased = (Bits(x.v) - kRootOfHalf + (kOffset << 52)) >> 52;
  const D e = D(D::V(biased + static_cast<uint64_t>(0x4338000000000000))) -
              D(kWhole + static_cast<double>(kOffset));
  const D m = D::V(Bits(x.v) - ((biased - kOffset) << 52));
  const D r = m - 1.0, s = r / (m + 1.0), z = s * s, half = r * r * 0.5;
  const D rest = s * (half + z * horner(z, kTerms)) + e * ExponentialTerms<double>::kLn2Low;
  const D y = e * ExponentialTerms<double>::kLn2High - ((half - rest) - r);
  return C10_UNLIKELY(any(~ordinary)) ? where(ordinary, y, sleef::log(x)) : y;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
