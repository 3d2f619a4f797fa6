#pragma once
// The regularized incomplete gamma functions of vectors for large a near x, by Temme's uniform
// expansion (DLMF 8.12): incomplete_gamma.h has it for one number.

#include <cmath>

#include <ATen/native/common/cpu/PairPower.h>
#include <ATen/native/special_gamma/incomplete_gamma.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

inline Doubles quotient(Doubles a, Doubles b) { return a / b; }
inline TwoDoubles quotient(TwoDoubles a, TwoDoubles b) {
  const Doubles inverse = Doubles(1.0) / b.high, q = a.high * inverse;
  const auto p = exact_product(q, b.high);
  return TwoDoubles::of(q, (((a.high - p.product) - p.error) + (a.low - q * b.low)) * inverse);
}

template <typename Number>
constexpr bool kInPairs = std::is_same_v<Number, TwoDoubles>;

constexpr double kNearestLarge = 0.3;     // where |x - a| is below this times a
constexpr double kUniformStart = 100;     // for a from here on
constexpr double kLargestExponent = 650;  // exp of minus more than that is left to single numbers

// mu - log(1 + mu) for mu = (x - a) / a: with s = mu / (2 + mu) it is mu s - 2 s^3 (1/3 + s^2 / 5 +
// s^4 / 7 + ...), of which the first terms need the digits of Number.
template <typename Number>
Number half_square(Doubles a, Doubles x) {
  static constexpr double kTerms[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15,
                                      1.0 / 13, 1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5};
  const Doubles difference = x - a;  // exact, since x is near a
  const Number mu = quotient(Number(difference), Number(a));
  const Number s = quotient(Number(difference), Number(x) + Number(a)), square = s * s;
  const Doubles w = rounded(square), rest = w * polynomial(w, kTerms);
  Number third(1.0 / 3);
  if constexpr (kInPairs<Number>)
    third = TwoDoubles::of(Doubles(1.0 / 3), rest + 0x1.5555555555555p-56);
  else third = third + rest;
  return s * (mu - (square * third) * 2.0);
}

// The sum over k of C_k(eta) / a^k, of this many rows and terms.
template <int kRows, int kTerms>
C10_ALWAYS_INLINE Doubles temme_series(Doubles a, Doubles eta) {
  const Doubles inverse = Doubles(1.0) / a;
  Doubles series(0.0);
#pragma GCC unroll 8
  for (int k = kRows - 1; k >= 0; --k) {
    Doubles row = kTemme[k][kTerms - 1];
#pragma GCC unroll 24
    for (int j = kTerms - 2; j >= 0; --j) row = row * eta + kTemme[k][j];
    series = series * inverse + row;
  }
  return series;
}

// P, or Q unless `lower`: the smaller of the two, which is below a or above it, is half of erfc and
// a series in 1 / a, with exp(-exponent) as a factor of both.
template <typename Number>
Doubles uniform_gamma(Doubles a, Doubles x, bool lower, Number square, Number exponent) {
  constexpr bool exact = kInPairs<Number>;
  const auto above = x > a;
  const Doubles one(1.0), root = inline_sqrt(max(Doubles(0.0), rounded(exponent)));
  const Doubles size = inline_sqrt(max(Doubles(0.0), rounded(square)) * 2.0);
  const Doubles bell = rounded(exp_of(-exponent));
  const Doubles series = temme_series<exact ? 7 : 3, exact ? 24 : 13>(a, where(above, size, -size));
  const Doubles rest = bell * series / inline_sqrt(a * (2 * M_PI));
  const Doubles far = bell * error_tail(root) / (root + root + 1.0);
  const Doubles near = one - (root + root * error_ratio(root * root));
  const Doubles half = where(root < Doubles(0.5), near, far) * 0.5;
  const Doubles smaller = where(above, half + rest, half - rest);
  return where(lower ? above : ~above, one - smaller, smaller);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
