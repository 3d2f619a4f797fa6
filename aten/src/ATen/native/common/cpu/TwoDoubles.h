#pragma once
// Numbers of twice a double's precision, as the sum of two doubles (T. J. Dekker, "A floating-point
// technique for extending the available precision", 1971), in vectors. Sums lose digits only where
// they cancel. Infinity becomes NaN.

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

struct TwoDoubles {
  Doubles high, low;

  TwoDoubles(Doubles x) : high(x), low(0.0) {}
  TwoDoubles(double x) : high(x), low(0.0) {}
  // high >= low, apart from their signs.
  static TwoDoubles of(Doubles high, Doubles low) {
    TwoDoubles sum(high + low);
    sum.low = low - (sum.high - high);
    return sum;
  }

  friend TwoDoubles operator-(TwoDoubles a) {
    a.high = -a.high;
    a.low = -a.low;
    return a;
  }
  friend TwoDoubles operator+(TwoDoubles a, TwoDoubles b) {
    const Doubles sum = a.high + b.high, from_b = sum - a.high;
    const Doubles error = (a.high - (sum - from_b)) + (b.high - from_b);
    return of(sum, error + (a.low + b.low));
  }
  friend TwoDoubles operator-(TwoDoubles a, TwoDoubles b) { return a + -b; }
  friend TwoDoubles operator*(TwoDoubles a, TwoDoubles b) {
    const auto p = exact_product(a.high, b.high);
    return of(p.product, p.error + (a.high * b.low + a.low * b.high));
  }
  friend TwoDoubles operator*(Doubles a, TwoDoubles b) {
    const auto p = exact_product(a, b.high);
    return of(p.product, p.error + a * b.low);
  }
  friend TwoDoubles operator*(TwoDoubles a, double b) {
    const auto p = exact_product(a.high, Doubles(b));
    return of(p.product, p.error + a.low * b);
  }
  friend TwoDoubles operator/(TwoDoubles a, double b) {
    const Doubles quotient = a.high / Doubles(b);
    const auto p = exact_product(quotient, Doubles(b));
    const Doubles rest = ((a.high - p.product) - p.error) + a.low;
    return of(quotient, rest / Doubles(b));
  }
  friend TwoDoubles where(Doubles::Mask m, TwoDoubles a, TwoDoubles b) {
    a.high = where(m, a.high, b.high);
    a.low = where(m, a.low, b.low);
    return a;
  }
};

// The nearest double.
inline Doubles rounded(TwoDoubles x) { return x.high; }
inline Doubles rounded(Doubles x) { return x; }

}  // namespace CPU_CAPABILITY
}  // namespace at::native
