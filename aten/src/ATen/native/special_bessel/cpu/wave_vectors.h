#pragma once
// Bessel functions J and Y of orders 0 and 1, of vectors. Below 2 they are polynomials in x^2, and
// beyond the height of a wave times its cosine (DLMF 10.18): both are smooth in 1 / x, so that one
// formula serves all larger numbers.

#include <cmath>

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/common/cpu/RareLanes.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/special_bessel/wave_functions.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special_bessel/cpu/phase_coefficients.h>

constexpr double kQuarterPi = 0.78539816339744831, kQuarterPiRest = 3.061616997868383e-17;

// The wave cos(x - eighths * pi / 4 + phase / x), times the modulus over sqrt(x), for 2 <= x <=
// kLastWave. Other lanes have any values.
constexpr double kLastWave = 268435456.0;  // 2^28

template <const auto& modulus, const auto& phase>
C10_ALWAYS_INLINE Doubles wave(Doubles x, int eighths) {
  const Doubles v = Doubles(1.0) / x;
  const Doubles::Mask piece = piece_number(v, 16.0);
  // The cosine is the sine of r plus k pi: x less whole quarters of pi, which need the digits of
  // two doubles.
  const Nearest k(x * M_1_PI - (eighths - 2) * 0.25);
  const Doubles quarters = k.value * 4.0 + (eighths - 2);
  const auto product = exact_product(quarters, Doubles(kQuarterPi));
  const Doubles rest = (x - product.product) - (product.error + quarters * kQuarterPiRest);
  const Doubles r = rest + v * evaluate<phase>(piece, v);
  const Doubles size = evaluate<modulus>(piece, v) * inline_sqrt(v) * r * evaluate<kSine>(r * r);
  return Doubles::V(Doubles::Mask(size.v) ^ (k.bits << 63));
}

// near() below 2 and far() beyond, where a lane needs it, and one(x) for numbers that are not up to
// kLastWave.
template <typename Near, typename Far>
C10_ALWAYS_INLINE Doubles by_distance(Doubles x, double (*one)(double), const Near& near,
                                      const Far& far) {
  const auto below_2 = x < Doubles(2.0);
  Doubles value(0.0);
  if (any(~below_2)) value = far();
  if (any(below_2)) value = where(below_2, near(), value);
  return with_rare_lanes<double>(~(x <= Doubles(kLastWave)), value,
                                 [&](int64_t i) { return one(x.v[i]); });
}

inline Doubles bessel_j0(Doubles x) {
  const Doubles size = abs(x);
  return by_distance(size, bessel_j0, [&] { return evaluate<kJ0Below2>(size * size); },
                     [&] { return wave<kModulus0, kPhase0>(size, 1); });
}
// The function changes its sign with that of x.
inline Doubles bessel_j1(Doubles x) {
  const Doubles size = abs(x);
  const Doubles value = by_distance(size, bessel_j1, [&] {
    return size * evaluate<kJ1Below2>(size * size);
  }, [&] { return wave<kModulus1, kPhase1>(size, 3); });
  return where(x < Doubles(0.0), -value, where(x == Doubles(0.0), x, value));
}

// Minus infinity at 0, no number below.
inline Doubles outside_of_y(Doubles x, Doubles value) {
  return where(x > Doubles(0.0), value, where(x == Doubles(0.0), Doubles(-INFINITY), Doubles(NAN)));
}
inline Doubles bessel_y0(Doubles x) {
  const auto near = [&] {
    const Doubles square = x * x;
    return Doubles(kTwoOverPi) * log(x) * evaluate<kJ0Below2>(square) + evaluate<kY0Small>(square);
  };
  return outside_of_y(
      x, by_distance(x, bessel_y0, near, [&] { return wave<kModulus0, kPhase0>(x, 3); }));
}
inline Doubles bessel_y1(Doubles x) {
  const auto near = [&] {
    const Doubles square = x * x;
    return Doubles(kTwoOverPi) * (log(x) * x * evaluate<kJ1Below2>(square) - Doubles(1) / x) +
           x * evaluate<kY1Small>(square);
  };
  return outside_of_y(
      x, by_distance(x, bessel_y1, near, [&] { return wave<kModulus1, kPhase1>(x, 5); }));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
