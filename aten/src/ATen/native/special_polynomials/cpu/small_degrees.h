#pragma once
// Orthogonal polynomials of degrees up to 9 as sums of powers of x: each lane of a vector picks the
// coefficients of its degree, which are exact. Compensated, Horner's scheme is as accurate as the
// recurrences (Graillat, Langlois and Louvet), and takes half of their time.

#include <iterator>
#include <type_traits>

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/special_polynomials/cpu/compensated.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr int kSmallDegrees = 10;  // 0 to 9

// p[k + 1] = ((a + b x) p[k] - c p[k - 1]) / d
struct Step {
  double a, b, c, d;
};

// power[j][n]: of x^j in p[n], or of x^(2j) or x^(2j + 1), whichever occurs, if kParity is set.
template <int kPowers>
struct PowerTable {
  alignas(64) double power[kPowers][16];
};
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
  PowerTable<kParity ? kSmallDegrees / 2 : kSmallDegrees> found{};
  for (int n = 0; n < kSmallDegrees; ++n)
    for (int j = n % 2 * kParity; j < kSmallDegrees; j += 1 + kParity)
      found.power[kParity ? j / 2 : j][n] = p[n][j];
  return found;
}
template <typename Family>
constexpr auto kPowerTable = power_table<Family>();

// numbers[k] for each lane, k < 12.
static_assert(kSmallDegrees <= 12);
C10_ALWAYS_INLINE Doubles pick_of_12(const double* numbers, Doubles::Mask k) {
#if defined(__AVX512F__)
  return Doubles::V(__builtin_shuffle(Doubles::load(numbers).v, Doubles::load(numbers + 8).v, k));
#elif defined(__AVX2__)
  return Doubles::V(by_bit<3>(k, pick_of_4(numbers + 8, k),
                              by_bit<2>(k, pick_of_4(numbers + 4, k), pick_of_4(numbers, k))));
#else
  return by_lane([&](size_t i) { return numbers[k[i] & 15]; },
                 std::make_index_sequence<static_cast<size_t>(Doubles::size)>());
#endif
}

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

// p[n](x) for whole numbers n from 0 to 9, given by their lowest bits. N is the type to compute in.
template <typename Family, typename N, typename X>
C10_ALWAYS_INLINE N small_degree(X x, Doubles::Mask n) {
  constexpr auto& table = kPowerTable<Family>.power;
  constexpr int kPowers = static_cast<int>(std::size(table));
  const auto z = square<N>(x);
  // The powers of z = x^2, times power `first` of x.
  const auto sum_from = [&](int first, int step) __attribute__((always_inline)) {
    int j = kPowers - 1 - (kPowers - 1 - first) % step;
    N sum(pick_of_12(table[j], n));
#pragma GCC unroll 16
    for (j -= step; j >= 0; j -= step) sum = horner_step(sum, z, pick_of_12(table[j], n));
    return sum;
  };
  if constexpr (Family::parity) {
    const auto odd = Doubles::Mask(n << 63) < Doubles::Mask{};
    return where(odd, x, X(1.0)) * sum_from(0, 1);
  } else {
    // Two sums that do not wait for each other.
    return sum_from(0, 2) + x * sum_from(1, 2);
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
