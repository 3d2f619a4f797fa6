#pragma once
// The regularized incomplete gamma functions of vectors: incomplete_gamma.h says where which
// formula holds. Number is the type of factors, of the largest terms and of 1 - P: TwoDoubles for
// results in float64, Doubles for narrower ones.

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <ATen/native/common/cpu/RareLanes.h>
#include <ATen/native/special_gamma/cpu/uniform_gamma_vectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special_gamma/cpu/upper_coefficients.h>

// The errors of a sum that is computed from its last term on shrink with every step, so that the
// first few terms alone need pairs; more of them for large a, where neighbours are nearly equal.
template <typename Number>
int terms_in_pairs(Doubles a) {
  return !kInPairs<Number> ? 0 : any(a > Doubles(20.0)) ? 12 : 4;
}

// An argument as a whole number n and a fraction from 0 to 1.
struct Parts {
  Doubles n, fraction;
  explicit Parts(Doubles a) : n(Nearest(a - 0.5).value), fraction(a - n) {}
};

// 1 / Gamma(1 + r) for 0 <= r <= 1.
template <typename Number>
Number reciprocal_gamma(Doubles r) {
  const Nearest eighth(min(Doubles(7.0), r * 8.0 - 0.5));
  const Doubles u = r * 16.0 - (eighth.value + eighth.value + 1.0);
  const ChosenRows<kRowsOf<kReciprocal>> rows(eighth.bits);
  Doubles rest = rows[2];
#pragma GCC unroll 16
  for (int k = 3; k < kRowsOf<kReciprocal>.numbers; ++k) rest = rest * u + rows[k];
  if constexpr (kInPairs<Number>) return TwoDoubles::of(rows[0], u * rest + rows[1]);
  else return rows[0] + u * rest;
}

// x^a exp(-x) / Gamma(a + 1), from x^a exp(-x).
template <typename Number>
Number gamma_factor(const Parts& a, Number power) {
  Number product(1.0);
  for (double k = 1; any(a.n >= Doubles(k)); ++k)
    product = where(a.n >= Doubles(k), (a.fraction + k) * product, product);
  return quotient(power * reciprocal_gamma<Number>(a.fraction), product);
}

// Its logarithm for a >= kStirlingStart, by Stirling's series (DLMF 5.11.1).
constexpr double kStirlingStart = 20;

template <typename Number>
Number log_gamma_factor(Doubles a, Doubles x, Number log_x) {
  static constexpr double kTerms[] = {-691.0 / 360360, 1.0 / 1188, -1.0 / 1680,
                                      1.0 / 1260,      -1.0 / 360, 1.0 / 12};
  const Doubles z = Doubles(1.0) / a;
  const Number rest = Number(z * polynomial(z * z, kTerms));
  const Number log_root = log_as<Number>(a * (2 * M_PI)) * 0.5;
  return a * (log_x - log_as<Number>(a)) + (Number(a) - Number(x)) - (log_root + rest);
}

// P / gamma_factor for x <= max(a, 1.1): 1 + x / (a + 1) (1 + x / (a + 2) (1 + ...)), as one
// fraction, whose parts are divided by powers of a to remain finite. The number of terms is what
// a = x needs, or a = 0 below 1.1; or x = 0.7 a for large a.
template <typename Number>
Number lower_series(Doubles a, Doubles x) {
  const double root = std::sqrt(max_lanes(x));
  int k = static_cast<int>(kInPairs<Number> ? std::min(14 + 8.5 * root, 115.0)
                                            : std::min(9 + 5.9 * root, 80.0));
  const Doubles scale = Doubles(1.0) / max(a, Doubles(1.0)), scaled_x = x * scale,
                scaled_a = a * scale;
  Doubles top(1.0), bottom(1.0);
  for (const int pairs = terms_in_pairs<Number>(a); k > pairs; --k) {
    bottom *= scaled_a + scale * static_cast<double>(k);
    top = top * scaled_x + bottom;
  }
  Number all_top(top), all_bottom(bottom);
  for (; k > 0; --k) {
    all_bottom = all_bottom * (Number(a) + Number(static_cast<double>(k)));
    all_top = x * all_top + all_bottom;
  }
  return quotient(all_top, all_bottom);
}

// How many of the first terms of each row of kUpper a Number does without: for results in float32
// all that are below 1e-10 of the last term.
template <typename Number>
constexpr auto unneeded_terms() {
  std::array<int, std::size(kUpperTerms)> found{};
  const auto& largest = kUpper[std::size(kUpper) - 1];
  int at = 0;
  for (size_t j = 0; j < found.size(); at += kUpperTerms[j++]) {
    for (bool needed = kInPairs<Number>; !needed && found[j] < kUpperTerms[j]; found[j] += !needed)
      for (size_t piece = 0; piece < std::size(largest); ++piece) {
        const double c = kUpper[at + found[j]][piece];
        needed |= (c < 0 ? -c : c) > 1e-10 * largest[piece];
      }
  }
  return found;
}

// exp(x) x^(2 - f) Gamma(f - 1, x) for 0 <= f <= 1 and x >= 1/2.
template <typename Number>
Doubles upper_start(Doubles f, Doubles x) {
  constexpr auto kUnneeded = unneeded_terms<Number>();
  const Doubles t = Doubles(24.0) / (x + 1.0);
  const Nearest piece(max(Doubles(0.0), min(Doubles(7.0), t * 0.5 - 0.5)));
  const ChosenRows<kRowsOf<kUpper>> rows(piece.bits);
  const Doubles u = t - (piece.value + piece.value + 1.0), g = f + f - 1.0;
  Doubles sum(0.0);
  int at = 0;
#pragma GCC unroll 16
  for (size_t j = 0; j < kUnneeded.size(); ++j) {
    const int end = at + kUpperTerms[j];
    Doubles row(0.0);
#pragma GCC unroll 20
    for (int k = at + kUnneeded[j]; k < end; ++k) row = row * u + rows[k];
    sum = sum * g + row;
    at = end;
  }
  return sum;
}

// Q / gamma_factor: a / x times G(a) = exp(x) x^(1 - a) Gamma(a, x), from G(a - steps) by its
// recurrence G(a + 1) = 1 + G(a) a / x (DLMF 8.8.2).
template <typename Number>
Number upper_product(Doubles a, Doubles x, Doubles steps, Doubles start) {
  const Doubles v = Doubles(1.0) / x;
  Number exact_v(v);
  if constexpr (kInPairs<Number>) {
    const auto p = exact_product(v, x);
    exact_v.low = ((Doubles(1.0) - p.product) - p.error) * v;
  }
  Doubles value = start;
  double k = max_lanes(steps);
  for (const double pairs = terms_in_pairs<Number>(a); k > pairs; --k)
    value = where(steps >= Doubles(k), value * ((a - k) * v) + 1.0, value);
  Number exact(value);
  for (; k > 0; --k) {
    const Number next = (a - k) * (exact_v * exact) + Number(1.0);
    exact = where(steps >= Doubles(k), next, exact);
  }
  return a * (exact_v * exact);
}

// Q for a < 1 and x < 1/2, where P may be close to 1: 1 - x^a / Gamma(1 + a) * (1 + a sum of (-x)^n
// / ((a + n) n!)).
inline Doubles upper_small(Doubles a, Doubles x, Doubles log_x) {
  constexpr int kTerms = 16;
  Doubles sum = Doubles(1.0) / (a + static_cast<double>(kTerms));
  for (int n = kTerms - 1; n > 0; --n)
    sum = Doubles(1.0) / (a + static_cast<double>(n)) - x * sum * (1.0 / (n + 1));
  const Doubles log_gamma = a * evaluate<kLogGammaRatio>(piece_number(a, 4.0), a);
  const Doubles u = expm1(a * log_x - log_gamma), s = -(a * x * sum);
  return -(u + s + u * s);
}

// Lanes whose a is large, but not near x: logarithms of them lose no more digits than a has.
constexpr double kLargestPower = 2000;
constexpr double kLargeSteps = 140;

// P, or Q unless `lower`. `exponent` is log(x^a exp(-x)), or log(gamma_factor) where `by_stirling`.
template <typename Number>
Doubles by_sums(Doubles a, Doubles x, bool lower, Doubles::Mask large, Number log_x,
                Number exponent, Doubles::Mask by_stirling) {
  const Doubles one(1.0);
  const Number factor = gamma_factor(Parts(where(by_stirling, one, a)), exp_of(exponent));
  const auto below = lower ? x <= max(a, Doubles(1.1)) : (a >= one) & (x <= a);
  const auto small = lower ? Doubles::Mask{} : (a < one) & (x < Doubles(0.5));
  Number ratio(1.0);
  if (any(below)) ratio = lower_series<Number>(a, where(below, x, Doubles(0.0)));
  const auto above = ~(below | small);
  if (any(above)) {
    const Parts parts(where(large, one, a));
    Doubles steps = parts.n + 1.0, start = upper_start<Number>(parts.fraction, x);
    if (any(large)) {
      steps = where(large, Doubles(kLargeSteps), steps);
      start = where(large, x / (x - (a - kLargeSteps)), start);
    }
    steps = where(above, steps, Doubles(0.0));
    ratio = where(below, ratio, upper_product<Number>(a, x, steps, start));
  }
  const Number found = factor * ratio;
  const Doubles value = rounded(where(lower ? ~below : below, Number(1.0) - found, found));
  return any(small) ? where(small, upper_small(a, x, rounded(log_x)), value) : value;
}

// Lanes without a formula here have the values of one(a, x).
template <typename Number, typename F>
Doubles incomplete_gamma(Doubles every_a, Doubles every_x, bool lower, const F& one) {
  const Doubles tiny(1e-290), huge(1e15), none(0.0);
  auto usual = (every_a > tiny) & (every_a < huge) & (every_x > tiny) & (every_x < huge);
  const Doubles a = where(usual, every_a, Doubles(1.0)), x = where(usual, every_x, Doubles(1.0));
  const auto beyond = a >= Doubles(kUniformStart);
  const auto near = beyond & (abs(x - a) < a * kNearestLarge);
  Doubles value = none;
  if (any(near)) {
    const Number square = where(near, half_square<Number>(a, x), Number(0.0));
    const Number exponent = a * square;
    usual &= rounded(exponent) < Doubles(kLargestExponent);
    value = uniform_gamma(a, x, lower, square, where(usual, exponent, Number(0.0)));
  }
  if (any(~near)) {
    const auto large = beyond & ~near, by_stirling = a >= Doubles(kStirlingStart);
    const Number log_x = log_as<Number>(x);
    Number exponent = a * log_x - Number(x);
    if (any(by_stirling))
      exponent = where(by_stirling, log_gamma_factor<Number>(a, x, log_x), exponent);
    usual &= near | ((rounded(exponent) > Doubles(-kLargestExponent)) &
                     (~large | (a < Doubles(kLargestPower))));
    const auto sums = usual & ~near;
    const Doubles found =
        by_sums(where(sums, a, Doubles(1.0)), where(sums, x, Doubles(1.0)), lower, large & sums,
                log_x, where(sums, exponent, Number(-1.0)), by_stirling & sums);
    value = where(near, value, found);
  }
  return with_rare_lanes<double>(~usual, value,
                                 [&](int64_t i) { return one(every_a.v[i], every_x.v[i]); });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
