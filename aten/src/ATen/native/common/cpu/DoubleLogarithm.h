#pragma once
// Logarithms of doubles, inlined: errors of less than one unit in the last place.

#include <ATen/native/common/cpu/Exponential.h>
#include <ATen/native/common/cpu/LogarithmParts.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// x = 2^e (1 + r), with 1 + r from sqrt(1/2) to sqrt(2). With s = r / (2 + r), log(1 + r) is
// 2 artanh(s) = 2s + s R(s^2), which is r - half + rest, where half = r^2 / 2 and rest = s (half +
// R): that rounds less.
struct LogarithmTerms {
  Vec<double> e, r, half, rest;
};

// For normal positive numbers; others have any terms.
C10_ALWAYS_INLINE LogarithmTerms logarithm_terms(Vec<double> x) {
  using D = Vec<double>;
  using Bits = ExponentialTerms<double>::Bits;
  // R(z) / z, highest power first: `tools.fit double_logarithm`.
  static constexpr double kTerms[] = {
      0x1.2b584aae78a57p-3, 0x1.39fe606542ddep-3, 0x1.7462b4ab2ef6bp-3, 0x1.c71c62e5800a1p-3,
      0x1.2492492df148dp-2, 0x1.99999999952e2p-2, 0x1.5555555555558p-1};
  constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  // The exponent is the low bits of a double whose last bit stands for 1: AVX2 neither shifts 64
  // bits with their sign nor converts them.
  constexpr double kWhole = 0x1.8p52;
  constexpr uint64_t kOffset = 2048;
  const Bits biased = (Bits(x.v) - kRootOfHalf + (kOffset << 52)) >> 52;
  const D e = D(D::V(biased + static_cast<uint64_t>(0x4338000000000000))) -
              D(kWhole + static_cast<double>(kOffset));
  const D m = D::V(Bits(x.v) - ((biased - kOffset) << 52));
  const D r = m - 1.0, s = r / (m + 1.0), z = s * s, half = r * r * 0.5;
  return {e, r, half, s * (half + z * horner(z, kTerms))};
}

inline Vec<double> log(Vec<double> x) {
  using Ln2 = ExponentialTerms<double>;
  const auto [e, r, half, rest] = logarithm_terms(x);
  const Vec<double> y = e * Ln2::kLn2High - ((half - (rest + e * Ln2::kLn2Low)) - r);
  return with_logarithms_of_others(x, y, [](Vec<double> x) { return sleef::log(x); });
}

C10_ALWAYS_INLINE Vec<double> log_of_terms(const LogarithmTerms& t,
                                           const LogarithmBase<double>& base) {
  using D = Vec<double>;
  using Bits = ExponentialTerms<double>::Bits;
  constexpr uint64_t kUpper = 0xffffffff00000000;
  const D upper = D::V(Bits((t.r - t.half).v) & kUpper), lower = (t.r - upper) - t.half + t.rest;
  const D high = upper * base.high, whole = t.e * base.two_high, sum = whole + high;
  const D low = t.e * base.two_low + (lower + upper) * base.low + lower * base.high;
  return sum + (low + ((whole - sum) + high));
}

inline Vec<double> log2(Vec<double> x) {
  const LogarithmTerms t = logarithm_terms(x);
  const Vec<double> y = log_of_terms(t, {0x1.7154765p+0, 0x1.5c17f0bbbe88p-31, 1.0, 0.0});
  return with_logarithms_of_others(x, y, [](Vec<double> x) { return sleef::log2(x); });
}
inline Vec<double> log10(Vec<double> x) {
  const LogarithmTerms t = logarithm_terms(x);
  const Vec<double> y = log_of_terms(
      t, {0x1.bcb7b15p-2, 0x1.37287195355bbp-33, 0x1.34413509f6p-2, 0x1.9fef311f12b36p-42});
  return with_logarithms_of_others(x, y, [](Vec<double> x) { return sleef::log10(x); });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
