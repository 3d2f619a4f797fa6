#pragma once
// e^x of floats and doubles, inlined: a call costs more than the function, and spills the registers
// of the loop around it. x = n ln(2) + r with an integer n and |r| <= ln(2) / 2, so e^x is 2^n
// times a polynomial of r. Errors of up to 1.0 units in the last place.

#include <iterator>

#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The sum of c[k] x^(N - 1 - k) by Horner's rule, which rounds least and takes the fewest steps:
// for loops whose iterations overlap.
template <size_t kCount = 0, typename T, size_t N>
C10_ALWAYS_INLINE Vec<T> horner(Vec<T> x, const T (&c)[N]) {
  constexpr size_t kTerms = kCount ? kCount : N;
  if constexpr (kTerms == 1) return Vec<T>(c[0]);
  else return horner<kTerms - 1>(x, c) * x + Vec<T>(c[kTerms - 1]);
}

template <typename T>
struct ExponentialTerms;
template <>
struct ExponentialTerms<float> {
  typedef uint32_t Bits __attribute__((vector_size(kVecBytes)));  // they may wrap
  static constexpr int kFractionBits = 23, kBias = 127;
  // Few bits of ln(2), so that products with n are exact, and the others.
  static constexpr float kLn2High = 0.693145752f, kLn2Low = 1.42860677e-6f;
  // (e^r - 1 - r) / r^2, highest power first: `tools.fit exponential`.
  static constexpr float kTerms[] = {0x1.6a244cp-10f, 0x1.1239d4p-7f, 0x1.5558f2p-5f,
                                     0x1.555492p-3f, 0x1.fffffcp-2f};
  // e^x and 2^n are normal numbers from -kWithin to kWithin.
  static constexpr float kWithin = 87.0f;
  // Beyond these e^x is 0 or infinite.
  static constexpr float kZero = -104.0f, kInfinite = 89.0f;
};
template <>
struct ExponentialTerms<double> {
  typedef uint64_t Bits __attribute__((vector_size(kVecBytes)));
  static constexpr int kFractionBits = 52, kBias = 1023;
  static constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;
  static constexpr double kTerms[] = {
      0x1.af389ecfc4b9cp-26, 0x1.28917c89a43a7p-22, 0x1.71de0db2f6b19p-19, 0x1.a019b9149a41cp-16,
      0x1.a01a01a7c2efep-13, 0x1.6c16c17889ef1p-10, 0x1.11111111109b5p-7,  0x1.5555555553d68p-5,
      0x1.5555555555556p-3,  0x1.0000000000001p-1};
  static constexpr double kWithin = 708.0;
  static constexpr double kZero = -746.0, kInfinite = 710.0;
};

// e^(x + rest) as a number around 1 times 2^n. `rest` is small: what x lacks of its exact value.
template <typename T>
struct PartsOfExp {
  using V = typename Vec<T>::V;
  using Terms = ExponentialTerms<T>;
  using Bits = typename Terms::Bits;
  // A sum with it is rounded to an integer n, and its low bits are those of n and of the bias: the
  // exponent of 2^n.
  static constexpr T kRound =
      T(1.5) * static_cast<T>(int64_t(1) << Terms::kFractionBits) + T(Terms::kBias);

  V fraction, rounded;  // the number less 1; n, as kRound + n

  C10_ALWAYS_INLINE explicit PartsOfExp(Vec<T> x, Vec<T> rest = T(0)) {
    rounded = x.v * T(1.44269504088896340736) + kRound;
    const V n = rounded - kRound;
    const V r = ((x.v - n * Terms::kLn2High) - n * Terms::kLn2Low) + rest.v;
    fraction = r * r * horner(Vec<T>(r), Terms::kTerms).v + r;
  }
  // The product where 2^n is a normal number.
  C10_ALWAYS_INLINE Vec<T> within_range() const { return (fraction + T(1)) * power(rounded); }
  // The product less 1, there.
  C10_ALWAYS_INLINE Vec<T> less_one() const {
    const V scale = power(rounded);
    return fraction * scale + (scale - T(1));
  }
  // Of x up to 0, where it may be subnormal or 0.
  C10_ALWAYS_INLINE Vec<T> below_one(Vec<T> x) const {
    // 2^n times a large power of two is a normal number. Products that underflow take long.
    constexpr T kPower = sizeof(T) == 4 ? T(96) : T(512);
    constexpr T kLess = sizeof(T) == 4 ? T(0x1p-96) : T(0x1p-512);
    const Vec<T> large = (fraction + T(1)) * power(rounded + kPower);
    return where(x < Terms::kZero, Vec<T>(T(0)), large) * Vec<T>(kLess);
  }
  // Everywhere: the result may be subnormal, 0 or infinite.
  C10_ALWAYS_INLINE Vec<T> anywhere() const {
    const V value = fraction + T(1);
#if defined(__AVX512F__)
    const V n = rounded - kRound;
    if constexpr (sizeof(T) == 4)
      return V(__builtin_ia32_scalefps512_mask(value, n, V{}, static_cast<uint16_t>(-1), 4));
    else return V(__builtin_ia32_scalefpd512_mask(value, n, V{}, static_cast<uint8_t>(-1), 4));
#else
    // In two factors.
    const V half = (rounded - kRound) * T(0.5) + kRound;
    return value * power(half) * power(kRound + ((rounded - kRound) - (half - kRound)));
#endif
  }

 private:
  C10_ALWAYS_INLINE static V power(V sum) { return V(Bits(sum) << Terms::kFractionBits); }
};

// Whether |x| <= limit in all lanes.
template <typename T>
C10_ALWAYS_INLINE bool all_within(Vec<T> x, T limit) {
  return !any(~(abs(x) <= limit));
}

// For |x| up to 87, or 708.
template <typename T>
C10_ALWAYS_INLINE Vec<T> exp_within_range(Vec<T> x) {
  return PartsOfExp<T>(x).within_range();
}

// e^x for x <= 0 or NaN, of a number minus the largest one: 0 where it would be subnormal, or
// nearly. No branch: masks make such numbers frequent.
template <typename T>
C10_ALWAYS_INLINE Vec<T> exp_up_to_zero(Vec<T> x) {
  return where(x < -ExponentialTerms<T>::kWithin, Vec<T>(T(0)), exp_within_range(x));
}

// e^(x + rest) for -150 < x <= 0, or -1060.
template <typename T>
C10_ALWAYS_INLINE Vec<T> exp_of_negative(Vec<T> x, Vec<T> rest = T(0)) {
  const PartsOfExp<T> parts(x, rest);
#if defined(__AVX512F__)
  return parts.anywhere();
#else
  if (C10_LIKELY(!any(x < -ExponentialTerms<T>::kWithin))) return parts.within_range();
  return parts.below_one(x);
#endif
}

// For all x.
template <typename T>
Vec<T> exp_of_any(Vec<T> x) {
  using Terms = ExponentialTerms<T>;
  // NaN stays: it is the second argument of both.
  return PartsOfExp<T>(max(Vec<T>(Terms::kZero), min(Vec<T>(Terms::kInfinite), x))).anywhere();
}
template <typename T>
C10_ALWAYS_INLINE Vec<T> exp_inline(Vec<T> x) {
#if !defined(__AVX512F__)
  if (C10_LIKELY(all_within(x, ExponentialTerms<T>::kWithin))) return exp_within_range(x);
#endif
  return exp_of_any(x);
}

// e^x - 1. It has the sign of x, also where that is a zero.
template <typename T>
C10_ALWAYS_INLINE Vec<T> expm1_inline(Vec<T> x) {
  const auto usual = abs(x) <= ExponentialTerms<T>::kWithin;
  const Vec<T> y = copysign(PartsOfExp<T>(x).less_one(), x);
  return C10_LIKELY(!any(~usual)) ? y : where(usual, y, exp_of_any(x) - Vec<T>(T(1)));
}

C10_ALWAYS_INLINE Vec<float> exp(Vec<float> x) { return exp_inline(x); }
C10_ALWAYS_INLINE Vec<double> exp(Vec<double> x) { return exp_inline(x); }
C10_ALWAYS_INLINE Vec<float> expm1(Vec<float> x) { return expm1_inline(x); }
C10_ALWAYS_INLINE Vec<double> expm1(Vec<double> x) { return expm1_inline(x); }

}  // namespace CPU_CAPABILITY
}  // namespace at::native
