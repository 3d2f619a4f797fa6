#pragma once
// Bessel functions of the first orders, of vectors: bessel_functions.h and wave_functions.h have
// the formulas, one number at a time.

#include <cmath>

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/special_bessel/wave_functions.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr double kDoublings[] = {1, 2, 4};              // starts of the pieces of I below 8
constexpr double kDoublingsBeyond[] = {0.25, 0.5};      // and of those in 8 / x
constexpr double kUnits[] = {1, 2, 3, 4, 5, 6, 7};      // of J
constexpr double kUnitsFromTwo[] = {2, 3, 4, 5, 6, 7};  // of J1
constexpr double kOne[] = {1};                          // of J0 below 2
constexpr double kUnitsFromThree[] = {3, 4, 5, 6, 7};   // of Y

// exp(-|x|) I(|x|), without the sign or the factor |x|.
inline Doubles scaled_i(const Piece* below_8, const Piece* beyond_8_table, Doubles size,
                        bool times_size) {
  const Doubles near = evaluate(below_8, kDoublings, size);
  const Doubles value = times_size ? size * near : near;
  const auto far = size >= Doubles(8);
  if (!any(far)) return value;
  const Doubles t = Doubles(8) / size;
  return where(far, evaluate(beyond_8_table, kDoublingsBeyond, t) / sqrt(size), value);
}
// exp(|x|) times that; in two factors, since exp(|x|) may overflow where the product does not.
inline Doubles unscaled(Doubles size, Doubles scaled) {
  const Doubles half = exp(size * 0.5);
  return where(size < Doubles(700), exp(size) * scaled,
               where(size == Doubles(INFINITY), size, half * scaled * half));
}

inline Doubles bessel_i0e(Doubles x) { return scaled_i(kI0e, kI0eLarge, abs(x), false); }
inline Doubles bessel_i1e(Doubles x) {
  return copysign(scaled_i(kI1e, kI1eLarge, abs(x), true), x);
}
inline Doubles bessel_i0(Doubles x) { return unscaled(abs(x), bessel_i0e(x)); }
inline Doubles bessel_i1(Doubles x) {
  return copysign(unscaled(abs(x), scaled_i(kI1e, kI1eLarge, abs(x), true)), x);
}

// Hankel's expansion for x >= 8, of J or Y: p * first + q * second, where these are the sum and the
// difference of sine and cosine. Other lanes have any values.
struct HankelVec {
  Doubles p, q, sum, difference;
  HankelVec(const Piece* p_table, const Piece* q_table, Doubles x) {
    const Doubles t = Doubles(8) / x, size = sqrt(x * M_PI);
    p = evaluate(p_table, kDoublingsBeyond, t) / size;
    q = evaluate(q_table, kDoublingsBeyond, t) / x / size;
    const Doubles s = sin(x), c = cos(x);
    sum = s + c;
    difference = s - c;
  }
};

// `near` below 8; beyond, far(HankelVec), and 0 at infinity.
template <typename F>
Doubles wave(Doubles size, Doubles near, const Piece* p, const Piece* q, const F& far) {
  const auto is_far = size >= Doubles(8);
  if (!any(is_far)) return near;
  const Doubles value = far(HankelVec(p, q, size));
  return where(is_far, where(size == Doubles(INFINITY), Doubles(0.0), value), near);
}

inline Doubles bessel_j0(Doubles x) {
  const Doubles size = abs(x);
  return wave(size, evaluate(kJ0, kUnits, size), kP0, kQ0,
              [](const HankelVec& h) { return h.p * h.sum - h.q * h.difference; });
}
inline Doubles bessel_j1(Doubles x) {
  const Doubles size = abs(x);
  Doubles near = size * evaluate(kJ1Small[0], size);
  const auto beyond_1 = size >= Doubles(1);
  if (any(beyond_1)) near = where(beyond_1, evaluate(kJ1, kUnitsFromTwo, size), near);
  const Doubles value = wave(size, near, kP1, kQ1,
                             [](const HankelVec& h) { return h.p * h.difference + h.q * h.sum; });
  // The function changes its sign with that of x.
  return where(x < Doubles(0.0), -value, where(x == Doubles(0.0), x, value));
}

// Minus infinity at 0, no number below.
inline Doubles outside_of_y(Doubles x, Doubles value) {
  return where(x > Doubles(0.0), value, where(x == Doubles(0.0), Doubles(-INFINITY), Doubles(NAN)));
}
// Y below 8: small(x) below 2, and polynomials beyond. Each where a lane needs it.
template <typename F>
Doubles near_y(const Piece* table, Doubles x, const F& small) {
  const auto below_2 = x < Doubles(2);
  const Doubles value = evaluate(table, kUnitsFromThree, x);
  return any(below_2) ? where(below_2, small(x), value) : value;
}
inline Doubles bessel_y0(Doubles x) {
  const Doubles near = near_y(kY0, x, [](Doubles small) {
    return Doubles(kTwoOverPi) * log(small) * evaluate(kJ0, kOne, small) +
           evaluate(kY0Small[0], small * small);
  });
  return outside_of_y(x, wave(x, near, kP0, kQ0,
                              [](const HankelVec& h) { return h.p * h.difference + h.q * h.sum; }));
}
inline Doubles bessel_y1(Doubles x) {
  const Doubles near = near_y(kY1, x, [](Doubles small) {
    const Doubles j1 =
        where(small < Doubles(1), small * evaluate(kJ1Small[0], small), evaluate(kJ1[0], small));
    return Doubles(kTwoOverPi) * (log(small) * j1 - Doubles(1) / small) +
           small * evaluate(kY1Small[0], small * small);
  });
  return outside_of_y(x, wave(x, near, kP1, kQ1,
                              [](const HankelVec& h) { return h.q * h.difference - h.p * h.sum; }));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
