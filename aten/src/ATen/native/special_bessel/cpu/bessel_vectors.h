#pragma once
// Modified Bessel functions of the first orders, of vectors: bessel_functions.h has the formulas,
// one number at a time.

#include <cmath>

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/special_bessel/bessel_functions.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special_bessel/cpu/float_coefficients.h>

constexpr double kDoublingsBeyond[] = {0.25, 0.5};  // starts of the pieces in 8 / x
// For floats, where pieces 1 to 4 begin; and pieces 6 and 7, in 8 / x. Piece 5 is the first
// beyond 8.
constexpr float kStartsBelow8[] = {1.6f, 3.2f, 4.8f, 6.4f};
constexpr float kStartsBeyond8[] = {0.25f, 0.5f};

// exp(-|x|) I(|x|), without the sign. kTimesSize: the near pieces are of that over |x|.
template <bool kTimesSize, const auto& below_8, const auto& beyond_8_table, const auto& for_floats>
struct ScaledI {
  static Doubles of(Doubles size) {
    const Doubles near = evaluate<below_8>(piece_number(size, 1.0), size);
    const Doubles value = kTimesSize ? size * near : near;
    const auto far = size >= Doubles(8);
    if (!any(far)) return value;
    const Doubles inverse = Doubles(1) / size, t = inverse * 8.0;
    const Doubles wide = evaluate<beyond_8_table>(piece_number(t, kDoublingsBeyond), t);
    return where(far, wide * inline_sqrt(inverse), value);
  }
  // Both ranges are pieces of one table.
  static Vec<float> of(Vec<float> size) {
    const Vec<float> one(1.0f), inverse = one / size, t = inverse * 8.0f;
    const auto far = size >= Vec<float>(8.0f);
    const auto piece =
        far ? piece_number(t, kStartsBeyond8) + 5 : piece_number(size, kStartsBelow8);
    const Vec<float> value = evaluate<for_floats>(piece, where(far, t, size));
    return value * where(far, inline_sqrt(inverse), kTimesSize ? size : one);
  }
};
using ScaledI0 = ScaledI<false, kI0e, kI0eLarge, kI0eFloat>;
using ScaledI1 = ScaledI<true, kI1e, kI1eLarge, kI1eFloat>;

// exp(|x|) times that; in two factors, since exp(|x|) may overflow where the product does not.
template <typename T>
Vec<T> unscaled(Vec<T> size, Vec<T> scaled) {
  const auto large = size >= Vec<T>(sizeof(T) == 8 ? T(700) : T(85));
  const Vec<T> value = exp(size) * scaled;
  if (!any(large)) return value;
  const Vec<T> half = exp(size * T(0.5));
  return where(large, where(size == Vec<T>(INFINITY), size, half * scaled * half), value);
}

template <typename T>
Vec<T> bessel_i0e(Vec<T> x) {
  return ScaledI0::of(abs(x));
}
template <typename T>
Vec<T> bessel_i1e(Vec<T> x) {
  return copysign(ScaledI1::of(abs(x)), x);
}
template <typename T>
Vec<T> bessel_i0(Vec<T> x) {
  return unscaled(abs(x), ScaledI0::of(abs(x)));
}
template <typename T>
Vec<T> bessel_i1(Vec<T> x) {
  return copysign(unscaled(abs(x), ScaledI1::of(abs(x))), x);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
