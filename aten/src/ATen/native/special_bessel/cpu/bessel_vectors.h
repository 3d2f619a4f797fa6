#pragma once
// Modified Bessel functions of the first orders, of vectors: bessel_functions.h has the formulas,
// one number at a time.

#include <cmath>

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/special_bessel/bessel_functions.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr double kDoublingsBeyond[] = {0.25, 0.5};  // starts of the pieces in 8 / x

// Results are as accurate as the type T needs.

// exp(-|x|) I(|x|), without the sign or the factor |x|.
template <typename T, const auto& below_8, const auto& beyond_8_table>
Doubles scaled_i(Doubles size, bool times_size) {
  const Doubles near = evaluate<below_8, T>(piece_number(size, 1.0), size);
  const Doubles value = times_size ? size * near : near;
  const auto far = size >= Doubles(8);
  if (!any(far)) return value;
  const Doubles inverse = Doubles(1) / size, t = inverse * 8.0;
  const Doubles wide = evaluate<beyond_8_table, T>(piece_number(t, kDoublingsBeyond), t);
  return where(far, wide * inline_sqrt(inverse), value);
}
// exp(|x|) times that; in two factors, since exp(|x|) may overflow where the product does not.
inline Doubles unscaled(Doubles size, Doubles scaled) {
  const auto large = size >= Doubles(700);
  const Doubles value = exp(size) * scaled;
  if (!any(large)) return value;
  const Doubles half = exp(size * 0.5);
  return where(large, where(size == Doubles(INFINITY), size, half * scaled * half), value);
}

template <typename T>
Doubles bessel_i0e(Doubles x) {
  return scaled_i<T, kI0e, kI0eLarge>(abs(x), false);
}
template <typename T>
Doubles bessel_i1e(Doubles x) {
  return copysign(scaled_i<T, kI1e, kI1eLarge>(abs(x), true), x);
}
template <typename T>
Doubles bessel_i0(Doubles x) {
  return unscaled(abs(x), bessel_i0e<T>(x));
}
template <typename T>
Doubles bessel_i1(Doubles x) {
  return copysign(unscaled(abs(x), scaled_i<T, kI1e, kI1eLarge>(abs(x), true)), x);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
