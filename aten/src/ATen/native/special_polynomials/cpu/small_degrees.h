#pragma once
// Orthogonal polynomials of degrees up to 9 as sums of powers of x: each lane of a vector has the
// coefficients of its degree, which are exact. Compensated, Horner's scheme is as accurate as the
// recurrences (Graillat, Langlois and Louvet), and takes half of their time.

#include <type_traits>

#include <ATen/native/common/cpu/ChosenRows.h>
#include <ATen/native/special_polynomials/cpu/compensated.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr int kSmallDegrees = 10;  // 0 to 9

// p[k + 1] = ((a + b x) p[k] - c p[k - 1]) / d
struct Step {
  double a, b, c, d;
};

// Row n has the coefficients of p[n]: number j that of x^j, or of x^(2j) or x^(2j + 1), whichever
// occurs, if Family::parity is set.
template <typename Family>
constexpr auto power_table() {
  constexpr bool kParity = Family::parity;
  double p[kSmallDegrees][kSmallDegrees] = {{1}, {Family::first[0], Family::first[1]}};
  for (int k = 1; k + 1 < kSmallDegrees; ++k) {
    const Step step = Family::step(k);
    for (int j = 0; j < kSmallDegrees; ++j) {
      const double below = j ? p[k][j - 1] : 0;
      p[k + 1][j] = (step.a * p[k][j] + step.b * below - step.c * p[k - 1][j]) / step.d;
    }
  }
  RowTable<kParity ? kSmallDegrees / 2 : kSmallDegrees, 16> found{};
  for (int n = 0; n < kSmallDegrees; ++n)
    for (int j = n % 2 * kParity; j < kSmallDegrees; j += 1 + kParity)
      found.at(n, kParity ? j / 2 : j) = p[n][j];
  return found;
}
template <typename Family>
constexpr auto kPowerTable = power_table<Family>();

// sum * x + c
inline Doubles horner_step(Doubles sum, Doubles x, Doubles c) { return sum * x + c; }
inline Compensated horner_step(Compensated sum, Doubles x, Doubles c) {
  const auto p = exact_product(sum.value, x);
  const Doubles value = p.product + c, from_c = value - p.product;
  const Doubles rest = (p.product - (value - from_c)) + (c - from_c);
  return {value, sum.error * x + (p.error + rest)};
}
inline Compensated horner_step(Compensated sum, TwoDoubles x, Doubles c) {
  Compensated next = horner_step(sum, x.high, c);
  next.error = next.error + sum.value * x.low;
  return next;
}

// The square of an argument, exact if N is compensated.
template <typename N>
auto square(Doubles x) {
  if constexpr (std::is_same_v<N, Doubles>) {
    return x * x;
  } else {
    const auto p = exact_product(x, x);
    return TwoDoubles::of(p.product, p.error);
  }
}
template <typename N>
TwoDoubles square(TwoDoubles x) {
  return x * x;
}

// The sum of c(j) x^j for j = first, first + step, ... up to last, where z = x^step, without the
// factor x^first.
template <typename N, typename Z, typename C>
C10_ALWAYS_INLINE N sum_of_powers(int first, int step, int last, Z z, const C& c) {
  int j = last - (last - first) % step;
  N sum(c(j));
  for (j -= step; j >= 0; j -= step) sum = horner_step(sum, z, c(j));
  return sum;
}

// p[n](x) for whole numbers n from 0 to 9, given by their lowest bits. N is the type to compute in.
template <typename Family, typename N, typename X>
C10_ALWAYS_INLINE N small_degree(X x, Doubles::Mask n) {
  constexpr int kLast = kPowerTable<Family>.numbers - 1;
  const ChosenRows<kPowerTable<Family>> rows(n);
  const auto c = [&](int j) __attribute__((always_inline)) { return rows[j]; };
  const auto z = square<N>(x);
  if constexpr (Family::parity) {
    const auto odd = Doubles::Mask(n << 63) < Doubles::Mask{};
    return where(odd, x, X(1.0)) * sum_of_powers<N>(0, 1, kLast, z, c);
  } else {
    // Two sums that do not wait for each other.
    return sum_of_powers<N>(0, 2, kLast, z, c) + x * sum_of_powers<N>(1, 2, kLast, z, c);
  }
}
// The same where all lanes have one degree.
template <typename Family, typename N, typename X>
C10_ALWAYS_INLINE N small_degree(X x, int n) {
  const auto c = [&](int j) { return Doubles(kPowerTable<Family>.at(n, j)); };
  if constexpr (Family::parity) {
    const N sum = n < 2 ? N(c(0)) : sum_of_powers<N>(0, 1, n / 2, square<N>(x), c);
    return n % 2 ? x * sum : sum;
  } else if (n == 0) {
    return N(c(0));
  } else {
    const auto z = square<N>(x);
    return sum_of_powers<N>(0, 2, n, z, c) + x * sum_of_powers<N>(1, 2, n, z, c);
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
