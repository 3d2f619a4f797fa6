#pragma once
// The scaled error function, and the normal distribution's logarithm and quantiles, of vectors.
// VecMath.h has the polynomials of the first two; error_functions.h has the formulas of one number.

#include <cmath>
#include <limits>

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/special/cpu/inverse_error.h>
#include <ATen/native/special_error/error_functions.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// exp(x^2) erfc(x) for large x, by its asymptotic series in -1 / 2x^2 (DLMF 7.12.1).
template <typename T>
Vec<T> erfcx_far(Vec<T> x) {
  static constexpr T kTerms[] = {135135, 10395, 945, 105, 15, 3, 1, 1};
  const Vec<T> v = Vec<T>(T(1)) / x;
  return horner(Vec<T>(v * v * T(-0.5)), kTerms) * v * T(M_2_SQRTPI / 2);
}

// exp(x^2) erfc(x)
template <typename T>
Vec<T> erfcx(Vec<T> x) {
  const Vec<T> size = abs(x);
  Vec<T> value = error_tail(size) / (size + size + Vec<T>(T(1)));
  const auto far = size > Vec<T>(T(sizeof(T) == 4 ? 10 : 28));
  if (any(far)) value = where(far, erfcx_far(size), value);
  const auto negative = x < Vec<T>(T(0));
  if (any(negative)) {
    // 2 exp(x^2) less that. The rounding of x^2 would cost as many digits as the exponent has.
    // exp(x^2) is just below infinity at the limit.
    const Vec<T> limit(T(sizeof(T) == 4 ? 9.419 : 26.64)), low = min(size, limit);
    const auto square = exact_product(low, low);
    const Vec<T> bell = exp(square.product);
    const Vec<T> twice = (bell + bell * square.error) * T(2) - value;
    value = where(negative, where(size < limit, twice, Vec<T>(T(INFINITY))), value);
  }
  return where(x != x, x, value);
}

// log(p) and log(1 - q) for the probabilities p of the lower half and q of the tail beyond x, with
// one logarithm: the rounding of 1 - q is added to it. In the lower half exp(-x^2 / 2) may be 0, so
// its exponent is added too.
template <typename T>
Vec<T> log_ndtr(Vec<T> x) {
  const Vec<T> one(T(1)), scaled = abs(x) * T(M_SQRT1_2);
  // Half of exp(x^2 / 2) erfc(x / sqrt(2)), the ratio of the tail beyond x to its exponential.
  const Vec<T> limited = min(scaled, Vec<T>(T(sizeof(T) == 4 ? 10 : 28)));
  Vec<T> tail = error_tail(limited) * T(0.5) / (limited + limited + one);
  const auto far = scaled > limited;
  if (any(far)) tail = where(far, erfcx_far(scaled) * T(0.5), tail);
  const auto negative = x < Vec<T>(T(0));
  Vec<T> argument = tail, rest = x * x * T(-0.5);
  if (any(~negative)) {
    const Vec<T> q = normal_bell(x) * tail, p = one - q;
    argument = where(negative, tail, p);
    rest = where(negative, rest, ((one - p) - q) / p);
  }
  return log(argument) + rest;
}

constexpr double kQuantileStarts[] = {3, 4, 6, 9, 14, 22, 30};

// The quantile of p < 1/2, far below 1/2.
inline Doubles low_quantile(Doubles p) {
  const Doubles t = sqrt(log(p) * -2.0);
  return evaluate<kQuantileTail>(piece_number(t, kQuantileStarts), t);
}

// The inverse of ndtr, sqrt(2) erfinv(2p - 1). With its polynomials in w = -log(4 p (1 - p)) that
// keeps its digits in the lower tail, too, as far as they reach.
template <typename T>
Vec<T> ndtri(Vec<T> p) {
  using Terms = InverseErrorTerms<T>;
  constexpr T kMiddleEnd = T(6.25);
  const Vec<T> zero(T(0)), one(T(1)), infinity(std::numeric_limits<T>::infinity());
  const auto inside = (p > zero) & (p < one);
  Vec<T> value = where(p == zero, -infinity, where(p == one, infinity, Vec<T>(T(NAN))));
  if (!any(inside)) return value;
  const Vec<T> rest = one - p, distance = p - T(0.5);
  const Vec<T> w = -log(p * rest * T(4));
  const Vec<T> ratio = accurate_polynomial(w * T(0.32) - one, Terms::kMiddle);
  value = where(inside, distance * ratio * T(2 * M_SQRT2), value);
  const auto far = inside & (w > Vec<T>(kMiddleEnd));
  if (any(far)) {
    const auto lower = distance < zero;
    const Vec<T> low = by_doubles(Vec<T>(where(lower, p, rest)), low_quantile);
    value = where(far, where(lower, low, -low), value);
  }
  return value;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
