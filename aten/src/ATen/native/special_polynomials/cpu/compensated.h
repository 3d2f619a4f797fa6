#pragma once
// Numbers of a recurrence in float64: a value rounded as usual, and the sum of all that was rounded
// off (S. Graillat, P. Langlois and N. Louvet, "Compensated Horner scheme", 2005). Results are as
// accurate as those of pairs of doubles (TwoDoubles.h), but a step does not wait for the errors of
// the one before. Infinity becomes NaN.

#include <ATen/native/common/cpu/TwoDoubles.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

struct Compensated {
  Doubles value, error;

  Compensated(Doubles value, Doubles error) : value(value), error(error) {}
  Compensated(Doubles x) : value(x), error(0.0) {}
  Compensated(double x) : value(x), error(0.0) {}
  Compensated(TwoDoubles x) : value(x.high), error(x.low) {}

  friend Compensated operator-(Compensated a) { return {-a.value, -a.error}; }
  friend Compensated operator+(Compensated a, Compensated b) { return a - -b; }
  friend Compensated operator-(Compensated a, Compensated b) {
    const Doubles difference = a.value - b.value, from_b = a.value - difference;
    const Doubles rest = (a.value - (difference + from_b)) - (b.value - from_b);
    return {difference, rest + (a.error - b.error)};
  }
  friend Compensated operator*(Doubles x, Compensated a) {
    const auto p = exact_product(x, a.value);
    return {p.product, p.error + x * a.error};
  }
  friend Compensated operator*(TwoDoubles x, Compensated a) {
    const auto p = exact_product(x.high, a.value);
    return {p.product, p.error + (x.high * a.error + x.low * a.value)};
  }
  friend Compensated operator*(double x, Compensated a) { return Doubles(x) * a; }
  friend Compensated where(Doubles::Mask m, Compensated a, Compensated b) {
    return {where(m, a.value, b.value), where(m, a.error, b.error)};
  }
};

// a / d. The quotient may be rounded in any way, since its remainder is exact.
inline Compensated divided(Compensated a, Doubles d) {
  const Doubles inverse = Doubles(1.0) / d, quotient = a.value * inverse;
  const auto p = exact_product(quotient, d);
  const Doubles rest = (a.value - p.product) - p.error;
  return {quotient, (rest + a.error) * inverse};
}
inline Doubles divided(Doubles a, Doubles d) { return a / d; }

inline Doubles rounded(Compensated x) { return x.value + x.error; }

}  // namespace CPU_CAPABILITY
}  // namespace at::native
