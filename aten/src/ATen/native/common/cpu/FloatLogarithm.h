#pragma once
// Logarithms of floats, inlined: errors of less than one unit in the last place (0.90, and 0.96
// without FMA; measured at all numbers from 1/2 to 2, where they are largest).

#include <limits>

#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// e ln(2) + log(1 + r) + more, for integers e and r from sqrt(1/2) - 1 to sqrt(2) - 1.
C10_ALWAYS_INLINE Vec<float> log_of_parts(Vec<float> e, Vec<float> r, Vec<float> more = 0.0f) {
  using F = Vec<float>;
  // (log(1 + r) - r + r^2 / 2) / r^3, of least error relative to the logarithm: `tools.fit
  // logarithm`.
  const F s = r * r;
  const F low = r * -0x1.000226p-2f + 0x1.555554p-2f + (r * -0x1.547244p-3f + 0x1.99a008p-3f) * s;
  const F high = r * -0x1.0d8542p-3f + 0x1.22da1ep-3f + (r * -0x1.38b576p-4f + 0x1.055b68p-3f) * s;
  const F rest = high * (s * s) + low;
  // Few bits of ln(2), so that the product is exact, and the others.
  const F whole = e * 0x1.62ep-1f, sum = whole + r, error = (whole - sum) + r;
  return (rest * r - 0.5f) * s + (e * 0x1.0bfbe8p-15f + (error + more)) + sum;
}

typedef uint32_t FloatBits __attribute__((vector_size(kVecBytes)));  // they may wrap

// The exponent by which m = x / 2^e is from sqrt(1/2) to sqrt(2), as an integer.
C10_ALWAYS_INLINE Vec<float>::Mask nearest_exponent(Vec<float> x) {
  constexpr uint32_t kRootOfHalf = 0x3f3504f3;
  return Vec<float>::Mask(FloatBits(x.v) - kRootOfHalf) >> 23;
}

inline Vec<float> log(Vec<float> x) {
  using F = Vec<float>;
  const auto ordinary =
      (x >= F(std::numeric_limits<float>::min())) & (x < F(std::numeric_limits<float>::infinity()));
  const F::Mask e = nearest_exponent(x);
  const F m = F::V(FloatBits(x.v) - (FloatBits(e) << 23));
  const F y = log_of_parts(F::V(__builtin_convertvector(e, F::V)), m - 1.0f);
  return C10_UNLIKELY(any(~ordinary)) ? where(ordinary, y, sleef::log(x)) : y;
}

inline Vec<float> log2(Vec<float> x) { return sleef::log2(x); }
inline Vec<float> log10(Vec<float> x) { return sleef::log10(x); }

inline Vec<float> log1p(Vec<float> x) {
  using F = Vec<float>;
  const auto ordinary = (x > F(-1.0f)) & (x < F(1e30f));
  const F::Mask e = nearest_exponent(x + 1.0f);
  // 1 + x = 2^e (1 + r + missing), where `missing` is what rounding takes from r; 1 - r is near
  // enough to 1 / (1 + r).
  const F scale = F::V(FloatBits(127 - e) << 23), part = x * scale, less = scale - 1.0f;
  const F r = part + less, added = r - part, missing = (part - (r - added)) + (less - added);
  const F y = log_of_parts(F::V(__builtin_convertvector(e, F::V)), r, missing * (F(1.0f) - r));
  const F found = where(abs(x) < F(0x1p-26f), x, y);  // also -0
  if (C10_LIKELY(!any(~ordinary))) return found;
  // SLEEF's ends before the largest number.
  return where(ordinary, found, where(x < F(1e30f), sleef::log1p(x), sleef::log(x)));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
