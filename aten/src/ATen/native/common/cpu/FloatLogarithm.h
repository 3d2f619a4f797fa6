#pragma once
// Logarithms of floats, inlined: errors of less than one unit in the last place (0.90, and 0.96
// without FMA; measured at all numbers from 1/2 to 2, where they are largest).

#include <ATen/native/common/cpu/LogarithmParts.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// log(1 + r) is r - square / 2 + r square rest, for r from sqrt(1/2) - 1 to sqrt(2) - 1.
struct FloatLogarithmTerms {
  Vec<float> square, rest;
};

C10_ALWAYS_INLINE FloatLogarithmTerms float_logarithm_terms(Vec<float> r) {
  using F = Vec<float>;
  // (log(1 + r) - r + r^2 / 2) / r^3, of least error relative to the logarithm: `tools.fit
  // logarithm`.
  const F s = r * r;
  const F low = r * -0x1.000226p-2f + 0x1.555554p-2f + (r * -0x1.547244p-3f + 0x1.99a008p-3f) * s;
  const F high = r * -0x1.0d8542p-3f + 0x1.22da1ep-3f + (r * -0x1.38b576p-4f + 0x1.055b68p-3f) * s;
  return {s, high * (s * s) + low};
}

// e ln(2) + log(1 + r) + more, for integers e and r from sqrt(1/2) - 1 to sqrt(2) - 1.
C10_ALWAYS_INLINE Vec<float> log_of_parts(Vec<float> e, Vec<float> r, Vec<float> more = 0.0f) {
  using F = Vec<float>;
  const auto [s, rest] = float_logarithm_terms(r);
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

// x = 2^e (1 + r)
struct FloatParts {
  Vec<float> e, r;
};

// For normal positive numbers; others have any parts.
C10_ALWAYS_INLINE FloatParts parts_of(Vec<float> x) {
  using F = Vec<float>;
  const F::Mask e = nearest_exponent(x);
  const F m = F::V(FloatBits(x.v) - (FloatBits(e) << 23));
  return {F::V(__builtin_convertvector(e, F::V)), m - 1.0f};
}

inline Vec<float> log(Vec<float> x) {
  const auto [e, r] = parts_of(x);
  return with_logarithms_of_others(x, log_of_parts(e, r),
                                   [](Vec<float> x) { return sleef::log(x); });
}

C10_ALWAYS_INLINE Vec<float> log_of_parts(const FloatParts& parts,
                                          const LogarithmBase<float>& base) {
  using F = Vec<float>;
  constexpr uint32_t kUpper = 0xfffff000;
  const auto [s, rest] = float_logarithm_terms(parts.r);
  const F leading = parts.r - s * 0.5f, upper = F::V(FloatBits(leading.v) & kUpper);
  const F lower = ((parts.r - upper) - s * 0.5f) + rest * parts.r * s;
  const F high = upper * base.high, whole = parts.e * base.two_high, sum = whole + high;
  const F low = parts.e * base.two_low + (upper * base.low + lower * (base.high + base.low));
  return sum + (low + ((whole - sum) + high));
}

inline Vec<float> log2(Vec<float> x) {
  const FloatParts parts = parts_of(x);
  const Vec<float> y = log_of_parts(parts, {0x1.716p+0f, -0x1.7135a8p-13f, 1.0f, 0.0f});
  return with_logarithms_of_others(x, y, [](Vec<float> x) { return sleef::log2(x); });
}
inline Vec<float> log10(Vec<float> x) {
  const FloatParts parts = parts_of(x);
  const Vec<float> y =
      log_of_parts(parts, {0x1.bccp-2f, -0x1.09d5b2p-15f, 0x1.344p-2f, 0x1.3509f8p-18f});
  return with_logarithms_of_others(x, y, [](Vec<float> x) { return sleef::log10(x); });
}

inline Vec<float> log1p(Vec<float> x) {
  using F = Vec<float>;
  const F pole(-1.0f), end(1e30f);
  const F::Mask e = nearest_exponent(x + 1.0f);
  // 1 + x = 2^e (1 + r + missing), where `missing` is what rounding takes from r; 1 - r is near
  // enough to 1 / (1 + r).
  const F scale = F::V(FloatBits(127 - e) << 23), part = x * scale, less = scale - 1.0f;
  const F r = part + less, added = r - part, missing = (part - (r - added)) + (less - added);
  const F y = log_of_parts(F::V(__builtin_convertvector(e, F::V)), r, missing * (F(1.0f) - r));
  const F found = where(abs(x) < F(0x1p-26f), x, y);  // also -0
  if (C10_LIKELY(all_greater(x, pole) && all_greater(end, x))) return found;
  const F edge = where(x == pole, F(-std::numeric_limits<float>::infinity()),
                       F(std::numeric_limits<float>::quiet_NaN()));
  const auto large = x >= end;
  const F y_of_others = where(x > pole, found, edge);
  return C10_UNLIKELY(any(large)) ? where(large, log(x), y_of_others) : y_of_others;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
