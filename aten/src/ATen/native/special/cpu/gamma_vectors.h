#pragma once
// The first two derivatives of log Gamma, of vectors: the recurrence up to 6, and the asymptotic
// series beyond (DLMF 5.15.8), interpolated so that it holds there. SpecialFunctions.h has the
// versions for one number.

#include <cmath>

#include <ATen/native/common/cpu/PairPower.h>
#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special/cpu/gamma_coefficients.h>

// x >= 0 less its distance to a whole number, for numbers below 0; the distance is exact.
struct Reflected {
  Doubles::Mask negative;
  Doubles fraction, x;
  explicit Reflected(Doubles at) : negative(at < Doubles(0.0)), fraction(0.0), x(at) {
    if (!any(negative)) return;
    // Numbers of 2^51 and more are whole.
    const Doubles distance = at - Nearest(at).value;
    fraction = where(abs(at) < Doubles(2251799813685248.0), distance, at - at);
    x = where(negative, Doubles(1.0) - at, at);
  }
};

// With z = x (x + 5), the numbers x + k and x + 5 - k, for k = 0, 1, 2, have products z + c with
// c = 0, 4, 6. So six terms of the recurrence are one fraction.

// For any x, as accurate as T needs: the sum of 1 / (x + k), k < 6, is (2x + 5) times the sum of 1
// / (z + c).
template <typename T>
C10_ALWAYS_INLINE Doubles digamma(Doubles at) {
  const Reflected reflected(at);
  const Doubles x = reflected.x;
  const auto small = x < Doubles(6.0);
  const Doubles w = where(small, x + 6.0, x), r = Doubles(1.0) / w, square = r * r;
  const Doubles series = r * 0.5 + square * evaluate<kDigammaRest>(square);
  Doubles value;
  if constexpr (sizeof(T) == 8) value = log(w) - series;
  else value = where(w < Doubles(INFINITY), log_as<Doubles>(w), w) - series;
  if (any(small)) {
    const Doubles z = x * (x + 5.0);
    const Doubles top = (z * 3.0 + 20.0) * z + 24.0, bottom = z * ((z + 10.0) * z + 24.0);
    value = where(small, value - (x + x + 5.0) * top / bottom, value);
  }
  if (any(reflected.negative)) {
    const Doubles f = reflected.fraction, turn = Doubles(M_PI) / tan(f * M_PI);
    value = where(reflected.negative, where(f == Doubles(0.0), Doubles(NAN), value - turn), value);
  }
  return where(at == Doubles(0.0), copysign(Doubles(INFINITY), -at), value);
}

// The sum of 1 / (x + k)^2, 0 < k < 6, is that of 1 / (x + 5)^2 and (2z + 25 - 2c) / (z + c)^2. The
// first term of the recurrence is most of the result where x is small.
inline Doubles trigamma(Doubles at) {
  const Reflected reflected(at);
  const Doubles x = reflected.x;
  const auto small = x < Doubles(6.0);
  const Doubles w = where(small, x + 6.0, x), r = Doubles(1.0) / w, square = r * r;
  Doubles value = square * (r * evaluate<kTrigammaRest>(square) + 0.5) + r;
  if (any(small)) {
    const Doubles z = x * (x + 5.0), twice = z + z;
    const Doubles b = (z + 4.0) * (z + 4.0), c = (z + 6.0) * (z + 6.0), d = (x + 5.0) * (x + 5.0);
    const Doubles top = d * ((twice + 17.0) * c + (twice + 13.0) * b) + b * c;
    const Doubles sum = top / (b * c * d) + Doubles(1.0) / (x * x);
    value = where(small, value + sum, value);
  }
  if (any(reflected.negative)) {
    // psi'(x) + psi'(1 - x) = (pi / sin(pi x))^2
    const Doubles s = Doubles(M_PI) / sin(reflected.fraction * M_PI);
    value = where(reflected.negative, s * s - value, value);
  }
  return value;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
