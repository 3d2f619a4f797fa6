#pragma once
// asin, acos and atan of floats and doubles, inlined and without branches: errors of less than one
// unit in the last place. Without FMA they are SLEEF's.

#include <ATen/native/common/cpu/Exponential.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#if defined(__FMA__) || defined(__AVX512F__)

// Polynomials of z, highest power first: `tools.fit arc_functions`. atan(t) = t + t^3 A(t^2) for t
// up to 0.577, and asin(s) = s + s^3 S(s^2) for s up to 1/2.
template <typename T>
struct ArcTerms;
template <>
struct ArcTerms<float> {
  static constexpr float kHalfPi = 0x1.921fb6p+0f, kHalfPiRest = -0x1.777a5cp-25f;
  static constexpr float kCenter = 0x1.bb67aep+0f, kArcOfCenter = 0x1.0c1524p+0f,
                         kArcRest = -0x1.3d13f8p-25f;
  static constexpr uint32_t kHalfInverseRoot = 0x5eb759df;
  static constexpr float kArctangent[] = {0x1.024cd6p-5f,  -0x1.2ff9aap-4f, 0x1.b971cep-4f,
                                          -0x1.23da24p-3f, 0x1.999082p-3f,  -0x1.555542p-2f};
  static constexpr float kArcsine[] = {0x1.595c6p-5f, 0x1.8c3e5p-6f, 0x1.747bb8p-5f, 0x1.330204p-4f,
                                       0x1.5555c8p-3f};
};
template <>
struct ArcTerms<double> {
  static constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiRest = 0x1.1a62633145c07p-54;
  static constexpr double kCenter = 0x1.bb67ae8584caap+0, kArcOfCenter = 0x1.0c152382d7365p+0,
                          kArcRest = 0x1.9de49588acce1p-54;
  static constexpr uint64_t kHalfInverseRoot = 0x5fd6eb50c7b537a9;
  static constexpr double kArctangent[] = {
      0x1.20aeb369416ap-8,  -0x1.fe6c7c7ada59dp-7, 0x1.d88136c4cec13p-6, -0x1.41a5724674081p-5,
      0x1.7c8f9e63e9555p-5, -0x1.ad391f9feddfdp-5, 0x1.e198100d58954p-5, -0x1.110d0ea03d229p-4,
      0x1.3b13613f84269p-4, -0x1.745d12eb4b848p-4, 0x1.c71c719e75918p-4, -0x1.249249241b51ap-3,
      0x1.9999999998168p-3, -0x1.5555555555545p-2};
  static constexpr double kArcsine[] = {
      0x1.fdde81ab47e39p-6, -0x1.3110911a96947p-6, 0x1.4896b328c2b33p-6, 0x1.1e66ff851ad8dp-8,
      0x1.5ba823a230d48p-7, 0x1.767a8b1eff71p-7,   0x1.ca032bc993983p-7, 0x1.1c4b094c98276p-6,
      0x1.6e8bd0e929eb7p-6, 0x1.f1c71afe4cb42p-6,  0x1.6db6db714fd3dp-5, 0x1.333333332e56ep-4,
      0x1.555555555558p-3};
};

// The sum of c[k] x^(N - 1 - k) in two chains, of even and odd powers, but for the last step, which
// rounds most: processors do not look ahead far enough to overlap long chains.
template <size_t kLast, typename T, size_t N>
C10_ALWAYS_INLINE Vec<T> every_second(Vec<T> square, const T (&c)[N]) {
  if constexpr (kLast < 2) return Vec<T>(c[kLast]);
  else return every_second<kLast - 2>(square, c) * square + Vec<T>(c[kLast]);
}
template <typename T, size_t N>
C10_ALWAYS_INLINE Vec<T> in_two_chains(Vec<T> x, const T (&c)[N]) {
  const Vec<T> square = x * x;
  return (every_second<N - 3>(square, c) * x + every_second<N - 2>(square, c)) * x +
         Vec<T>(c[N - 1]);
}

// high + t + (t factor + low), where |high| is at least |t| or 0.
template <typename T>
C10_ALWAYS_INLINE Vec<T> sum_of_parts(Vec<T> high, Vec<T> t, Vec<T> factor, Vec<T> low) {
  const Vec<T> sum = high + t;
  return sum + (t * factor + (((high - sum) + t) + low));
}

// Beyond tan(pi / 6) it is atan(c) + atan((x - c) / (1 + c x)), where c is nearly tan(pi / 3): no
// farther from 0.
template <typename T>
C10_ALWAYS_INLINE Vec<T> arctangent(Vec<T> x) {
  using Terms = ArcTerms<T>;
  const Vec<T> zero(T(0)), one(T(1));
  // Infinity over infinity would be NaN. NaN stays: it is the second argument.
  const Vec<T> size = min(Vec<T>(T(0x1p60)), abs(x)), c(Terms::kCenter);
  const auto large = size > Vec<T>(T(0.57735));
  // Numerator and denominator, and what rounding takes from them.
  const Vec<T> less = size - c, less_rest = size - (less + c);
  const Vec<T> more = fused_multiply_add(c, size, one),
               more_rest = fused_multiply_add(c, size, -more) + one;
  const Vec<T> inverse = one / where(large, more, one), t = where(large, less, size) * inverse;
  const Vec<T> excess = fused_multiply_add(t, more, -less) + (t * more_rest - less_rest);
  const Vec<T> z = t * t;
  // The slope is 1 / (1 + z).
  const Vec<T> slope = one - z * T(0.8), rest = excess * inverse;
  const Vec<T> high = where(large, Vec<T>(Terms::kArcOfCenter), zero),
               low = where(large, Vec<T>(Terms::kArcRest) - rest * slope, zero);
  return copysign(sum_of_parts(high, t, z * in_two_chains(z, Terms::kArctangent), low), x);
}

// The square root of y, as value + rest.
template <typename T>
struct RootInTwoParts {
  Vec<T> value, rest;
  C10_ALWAYS_INLINE explicit RootInTwoParts(Vec<T> y) {
    value = inline_sqrt(y);
    // Half the inverse of the root, within 4 %: half the exponent, with the other sign. It is
    // finite for 0.
    using Bits = typename ExponentialTerms<T>::Bits;
    const Vec<T> half_inverse =
        typename Vec<T>::V(ArcTerms<T>::kHalfInverseRoot - (Bits(y.v) >> 1));
    rest = fused_multiply_add(-value, value, y) * half_inverse;
  }
};

// For |x| >= 1/2, asin(|x|) is pi / 2 - 2 asin(s) with s^2 = (1 - |x|) / 2.
template <typename T>
C10_ALWAYS_INLINE Vec<T> arcsine(Vec<T> x) {
  using Terms = ArcTerms<T>;
  const Vec<T> zero(T(0)), size = abs(x), y = Vec<T>(T(2)) - size * T(2);
  const auto small = size < T(0.5);
  const RootInTwoParts<T> root(y);  // of (2s)^2
  const Vec<T> z = where(small, x * x, y * T(0.25)), t = where(small, size, -root.value);
  const Vec<T> high = where(small, zero, Vec<T>(Terms::kHalfPi)),
               low = where(small, zero, Vec<T>(Terms::kHalfPiRest) - root.rest);
  return copysign(sum_of_parts(high, t, z * in_two_chains(z, Terms::kArcsine), low), x);
}

// For x >= 1/2, acos(x) is 2 asin(s), and for x <= -1/2, pi - 2 asin(s); pi / 2 - asin(x) between
// them.
template <typename T>
C10_ALWAYS_INLINE Vec<T> arccosine(Vec<T> x) {
  using Terms = ArcTerms<T>;
  using Bits = typename ExponentialTerms<T>::Bits;
  using V = typename Vec<T>::V;
  const Vec<T> zero(T(0)), size = abs(x), y = Vec<T>(T(2)) - size * T(2);
  const auto small = size < T(0.5);
  const auto positive = x > zero;
  const RootInTwoParts<T> root(y);
  const Bits sign = Bits(x.v) & Bits(Vec<T>(T(-0.0)).v);
  const Vec<T> signed_root = V(Bits(root.value.v) ^ sign),
               signed_rest = V(Bits(root.rest.v) ^ sign);
  const Vec<T> z = where(small, x * x, y * T(0.25)), t = where(small, -x, signed_root);
  const Vec<T> high_of_large = where(positive, zero, Vec<T>(Terms::kHalfPi * 2)),
               low_of_large = where(positive, zero, Vec<T>(Terms::kHalfPiRest * 2)) + signed_rest;
  const Vec<T> high = where(small, Vec<T>(Terms::kHalfPi), high_of_large),
               low = where(small, Vec<T>(Terms::kHalfPiRest), low_of_large);
  return sum_of_parts(high, t, z * in_two_chains(z, Terms::kArcsine), low);
}

inline Vec<float> asin(Vec<float> x) { return arcsine(x); }
inline Vec<double> asin(Vec<double> x) { return arcsine(x); }
inline Vec<float> acos(Vec<float> x) { return arccosine(x); }
inline Vec<double> acos(Vec<double> x) { return arccosine(x); }
inline Vec<float> atan(Vec<float> x) { return arctangent(x); }
inline Vec<double> atan(Vec<double> x) { return arctangent(x); }

#else

using sleef::acos;
using sleef::asin;
using sleef::atan;

#endif

}  // namespace CPU_CAPABILITY
}  // namespace at::native
