#pragma once
// sin, cos and tan of floats and doubles, inlined: errors of less than one unit in the last place.
// x = n pi / 2 + r with an integer n and |r| <= pi / 4, up to rounding; n chooses the function of r
// and its sign. This takes FMA: without it, and for large numbers, they are SLEEF's.

#include <ATen/native/common/cpu/Exponential.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#if defined(__FMA__) || defined(__AVX512F__)

template <typename T>
struct AngleTerms;
template <>
struct AngleTerms<float> {
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
  // The parts of pi / 2: all positive, so that -0 stays -0.
  static constexpr float kHalfPi = 0x1.921fb4p+0f, kNext = 0x1.4442dp-24f, kLast = 0x1.84698ap-48f;
  // For more, r has too few digits.
  static constexpr float kWithin = 65536.0f;
  // The polynomials of z = r^2, highest power first: `tools.fit trigonometry`. sin(r) = r - r^3 S
  // and cos(r) = 1 - z / 2 + z^2 C.
  static constexpr float kSine[] = {0x1.991bf4p-13f, -0x1.1106c6p-7f, 0x1.555544p-3f};
  static constexpr float kCosine[] = {0x1.99e616p-16f, -0x1.6c0c24p-10f, 0x1.55554ap-5f};
  // tan(r) = r (1 - z A) / (1 - z (B0 + z B)): shorter than the quotient of the two above.
  static constexpr float kAbove[] = {0x1.9a1ac4p-4f};
  static constexpr float kBelow = 0x1.bbdc06p-2f,
                         kBelowRest[] = {-0x1.c7c31ep-14f, -0x1.6d6f18p-7f};
};
template <>
struct AngleTerms<double> {
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double kHalfPi = 0x1.921fb54442d18p+0, kNext = 0x1.1a62633145c06p-54,
                          kLast = 0x1.c1cd129024e09p-107;
  static constexpr double kWithin = 0x1p27;
  static constexpr double kSine[] = {-0x1.5dddfdeaa3ddbp-33, 0x1.ae5f718026539p-26,
                                     -0x1.71de36d6ec7d6p-19, 0x1.a01a019daefe3p-13,
                                     -0x1.1111111110577p-7,  0x1.5555555555551p-3};
  static constexpr double kCosine[] = {-0x1.90507d68ae93fp-37, 0x1.1eeb1c172f369p-29,
                                       -0x1.27e4f9b7f689bp-22, 0x1.a01a019ee443p-16,
                                       -0x1.6c16c16c16648p-10, 0x1.5555555555554p-5};
  static constexpr double kAbove[] = {0x1.2b729ee968f28p-16, -0x1.c0cdae2d512c4p-9,
                                      0x1.1127f562aeb69p-3};
  static constexpr double kBelow = 0x1.dde95006acb0ap-2,
                          kBelowRest[] = {-0x1.0b200a096235ep-21, 0x1.46d2e7ee6fe9ap-12,
                                          -0x1.a46d82b60ff5ep-6};
};

// x - n pi / 2 is r - less, where r has the precision of the type.
template <typename T>
struct ReducedAngle {
  using Terms = AngleTerms<T>;
  using Bits = typename ExponentialTerms<T>::Bits;
  Vec<T> r, less;
  Bits n;  // in its low bits

  C10_ALWAYS_INLINE explicit ReducedAngle(Vec<T> x) {
    // A sum with it is rounded to an integer.
    constexpr T kRound = T(1.5) * static_cast<T>(int64_t(1) << ExponentialTerms<T>::kFractionBits);
    const Vec<T> sum = x * Terms::kTwoOverPi + kRound, whole = sum - kRound;
    // This is exact.
    const Vec<T> first = fused_multiply_add(whole, Vec<T>(-Terms::kHalfPi), x);
    // The differences below are exact, too: `first` is a multiple of the last bit of the product.
    const Product<T> next = exact_product(whole, Vec<T>(Terms::kNext));
    r = first - next.product;
    less = ((r - first) + next.product) + (whole * Terms::kLast + next.error);
    n = Bits(sum.v);
  }
  // `odd` where n is odd.
  C10_ALWAYS_INLINE static Vec<T> by_parity(Bits n, Vec<T> odd, Vec<T> even) {
    return where(typename Vec<T>::Mask((n & 1) != 0), odd, even);
  }
  // With the other sign where that bit of n is set.
  C10_ALWAYS_INLINE static Vec<T> with_sign(Bits n, int bit, Vec<T> y) {
    constexpr int kLastBit = 8 * sizeof(T) - 1;
    const Bits sign = (n << (kLastBit - bit)) & Bits(Vec<T>(T(-0.0)).v);
    return typename Vec<T>::V(Bits(y.v) ^ sign);
  }
};

// `y`, but f(x) where that is needed.
template <typename T, typename F>
C10_ALWAYS_INLINE Vec<T> within_angles(Vec<T> x, Vec<T> y, const F& f) {
  const Vec<T> end(AngleTerms<T>::kWithin);
  return C10_LIKELY(all_greater(end, abs(x))) ? y : where(abs(x) < end, y, f(x));
}

// sin(x + quarters pi / 2)
template <typename T>
C10_ALWAYS_INLINE Vec<T> sine_of_angle(Vec<T> x, int quarters) {
  using Terms = AngleTerms<T>;
  using Angle = ReducedAngle<T>;
  const Angle angle(x);
  const Vec<T> r = angle.r, z = r * r, one(T(1));
  const Vec<T> leading = one - z * T(0.5), rest = (one - leading) - z * T(0.5);
  // The slopes are nearly `leading` and -r.
  const Vec<T> sine = r - (z * r * horner(z, Terms::kSine) + angle.less * leading);
  const Vec<T> cosine = leading + (z * z * horner(z, Terms::kCosine) + (r * angle.less + rest));
  const auto n = angle.n + quarters;
  return Angle::with_sign(n, 1, Angle::by_parity(n, cosine, sine));
}

template <typename T>
C10_ALWAYS_INLINE Vec<T> tangent_of_angle(Vec<T> x) {
  using Terms = AngleTerms<T>;
  using Angle = ReducedAngle<T>;
  const Angle angle(x);
  const Product<T> square = exact_product(angle.r, angle.r);
  const Vec<T> r = angle.r, z = square.product, one(T(1));
  // The slope of the tangent is nearly (1 + 0.7 z) over the denominator.
  const Vec<T> change = z * r * horner(z, Terms::kAbove) + (z * T(0.7) * angle.less + angle.less);
  const Vec<T> leading = one - z * Terms::kBelow;
  // What rounding took from z counts here, too.
  const Vec<T> first =
      fused_multiply_add(z, Vec<T>(Terms::kBelow), leading - one) + square.error * Terms::kBelow;
  const Vec<T> lack = z * z * horner(z, Terms::kBelowRest) + first;
  // (r - change) / (leading - lack), or minus its inverse for odd n.
  const Vec<T> a = Angle::by_parity(angle.n, leading, r), b = Angle::by_parity(angle.n, r, leading),
               a_less = Angle::by_parity(angle.n, lack, change),
               b_less = Angle::by_parity(angle.n, change, lack);
  const Vec<T> inverse = one / (b - b_less), y = (a - a_less) * inverse;
  const Vec<T> excess = fused_multiply_add(y, b, -a) + (a_less - y * b_less);
  return Angle::with_sign(angle.n, 0, y - excess * inverse);
}

#define AT_ANGLE_FUNCTION(name, T, formula)                                    \
  inline Vec<T> name(Vec<T> x) {                                               \
    return within_angles(x, formula, [](Vec<T> x) { return sleef::name(x); }); \
  }
AT_ANGLE_FUNCTION(sin, float, sine_of_angle(x, 0))
AT_ANGLE_FUNCTION(sin, double, sine_of_angle(x, 0))
AT_ANGLE_FUNCTION(cos, float, sine_of_angle(x, 1))
AT_ANGLE_FUNCTION(cos, double, sine_of_angle(x, 1))
AT_ANGLE_FUNCTION(tan, float, tangent_of_angle(x))
AT_ANGLE_FUNCTION(tan, double, tangent_of_angle(x))
#undef AT_ANGLE_FUNCTION

#else

using sleef::cos;
using sleef::sin;
using sleef::tan;

#endif

}  // namespace CPU_CAPABILITY
}  // namespace at::native
