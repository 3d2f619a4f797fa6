#pragma once
// The Hurwitz zeta function and the higher derivatives of digamma, of vectors: SpecialFunctions.h
// has the formulas, and the values at numbers that are rare here.

#include <cmath>

#include <ATen/native/common/cpu/PairPower.h>
#include <ATen/native/common/cpu/RareLanes.h>
#include <ATen/native/special/SpecialFunctions.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// 0 where exp(x) is below 1e-300.
template <typename Number>
C10_ALWAYS_INLINE Doubles power(Number log, Doubles exponent) {
  const Number product = exponent * log;
  const auto tiny = rounded(product) < Doubles(-690.0);
  return where(tiny, Doubles(0.0), rounded(exp_of(where(tiny, Number(0.0), product))));
}

// Nine terms, the integral of the rest, and corrections. Number is the type of the exponents.
template <typename Number>
Doubles zeta(Doubles s, Doubles q) {
  const Doubles none(0.0), one(1.0);
  const Number log_q = log_as<Number>(q);
  const auto usual = (s > one) & (s < Doubles(1e4)) & (q > Doubles(1e-300)) & (q < Doubles(1e8)) &
                     (abs(s * rounded(log_q)) < Doubles(690.0));
  const auto has_sum = s > one;
  const Doubles without = where(s == one, Doubles(INFINITY), Doubles(NAN));
  if (!any(has_sum)) return without;
  const Doubles x = where(usual, s, Doubles(2.0)), first = where(usual, q, one);
  Doubles sum = where(usual, power(log_q, -x), one), a = first, b = none;
  for (double i = 1; i <= 9; ++i) {
    a = first + i;
    b = power(log_as<Number>(a), -x);
    // What was rounded off from a is an error as large as the exponent.
    if constexpr (std::is_same_v<Number, TwoDoubles>)
      b = b - b * (x * (TwoDoubles(first) + TwoDoubles(i)).low / a);
    sum += b;
  }
  sum += b * a / (x - one) - b * 0.5;
  const Doubles inverse = one / a;
  Doubles factor = x * b * inverse, k = x, corrections = none;
  for (double term : kZetaTerms) {
    corrections += factor * term;
    factor *= (k + 1.0) * (k + 2.0) * (inverse * inverse);
    k += 2.0;
  }
  return with_rare_lanes<double>(has_sum & ~usual, where(has_sum, sum + corrections, without),
                                 [&](int64_t i) { return hurwitz_zeta(s.v[i], q.v[i]); });
}

// The n-th derivative of digamma, `factor` * zeta(order, x).
inline Doubles polygamma_by_zeta(int64_t n, double order, double factor, Doubles x) {
  const auto positive = (x > Doubles(0.0)) & (x < Doubles(INFINITY));
  const Doubles value = zeta<TwoDoubles>(order, where(positive, x, Doubles(1.0))) * factor;
  return with_rare_lanes<double>(~positive, value, [&](int64_t i) { return polygamma(n, x.v[i]); });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
