#pragma once
// Orthogonal polynomials by their recurrences, of vectors of numbers: Doubles, or TwoDoubles, whose
// overflows are NaN. polynomials.h has the formulas, and the forms for large degrees.

#include <cmath>

#include <ATen/native/common/cpu/TwoDoubles.h>
#include <ATen/native/special_polynomials/polynomials.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

using Lanes = Doubles::Mask;

// An argument whose polynomials are computed in pairs of doubles.
struct ExactDoubles : Doubles {};

// The numbers that the polynomials of an argument are computed in.
template <typename X>
struct NumberOfType {
  using type = X;
};
template <>
struct NumberOfType<ExactDoubles> {
  using type = TwoDoubles;
};
template <typename X>
using NumberOf = typename NumberOfType<X>::type;

template <typename N>
Lanes is_finite(N x) {
  return abs(rounded(x)) < Doubles(INFINITY);
}
template <typename X>
Lanes is_negative(X x) {
  return rounded(x) < Doubles(0.0);
}
template <typename X>
auto size_of(X x) {
  return where(is_negative(x), -x, x);
}

// p[n] for whole numbers n from 0 to kMaxSteps. A lane keeps its value once n is reached, or once
// it overflowed.
template <typename N, typename Next>
N recurrence(N p1, Doubles n, const Next& next) {
  const N one(1.0);
  N before = one, now = p1;
  for (double k = 1;; ++k) {
    const Lanes active = (n > Doubles(k)) & is_finite(now);
    if (!any(active)) break;
    const N following = next(k, now, before);
    before = now;
    now = where(active, following, now);
  }
  return where(n < Doubles(1.0), one, now);
}

template <typename N>
N with_sign_of_odd(Lanes negative, Doubles n, N value) {
  const auto odd = n - Doubles(2.0) * floor(n * 0.5) == Doubles(1.0);
  return where(negative & odd, -value, value);
}

// p1(2 |x|, is x negative) is the polynomial of degree 1.
template <typename X, typename P1>
auto chebyshev(X x, Doubles n, const P1& p1) {
  using N = NumberOf<X>;
  const auto size = size_of(x), twice = size + size;
  const N value = recurrence(p1(N(twice), is_negative(x)), n,
                             [twice](double, N now, N before) { return twice * now - before; });
  return with_sign_of_odd(is_negative(x), n, value);
}
template <typename X>
auto chebyshev_t(X x, Doubles n) {
  return chebyshev(x, n, [](auto twice, Lanes) { return twice * 0.5; });
}
template <typename X>
auto chebyshev_u(X x, Doubles n) {
  return chebyshev(x, n, [](auto twice, Lanes) { return twice; });
}
template <typename X>
auto chebyshev_v(X x, Doubles n) {
  return chebyshev(x, n, [](auto twice, Lanes negative) {
    return twice + decltype(twice)(where(negative, Doubles(1.0), Doubles(-1.0)));
  });
}
template <typename X>
auto chebyshev_w(X x, Doubles n) {
  return chebyshev(x, n, [](auto twice, Lanes negative) {
    return twice + decltype(twice)(where(negative, Doubles(-1.0), Doubles(1.0)));
  });
}

// Beyond the largest zero, the sign of an overflow is known.
template <typename N>
N overflowed(N value, Doubles x, Doubles n) {
  const Lanes known = is_finite(value) | (x * x > n * 2.0 + 2.0);
  return where(known, value, N(NAN));
}
template <typename X>
auto hermite_h(X x, Doubles n) {
  using N = NumberOf<X>;
  const auto size = size_of(x);
  const N value = recurrence(N(size) * 2.0, n, [size](double k, N now, N before) {
    return (size * now - before * k) * 2.0;
  });
  return with_sign_of_odd(is_negative(x), n, overflowed(value, rounded(x), n));
}
template <typename X>
auto hermite_he(X x, Doubles n) {
  using N = NumberOf<X>;
  const auto size = size_of(x);
  const N value =
      recurrence(N(size), n, [size](double k, N now, N before) { return size * now - before * k; });
  return with_sign_of_odd(is_negative(x), n, overflowed(value, rounded(x), n * 2.0));
}
template <typename X>
auto laguerre_l(X x, Doubles n) {
  using N = NumberOf<X>;
  const N value = recurrence(N(1.0) - N(x), n, [x](double k, N now, N before) {
    return now + ((now - before) * k - x * now) / (k + 1);
  });
  const N infinite = with_sign_of_odd(rounded(x) > Doubles(0.0), n, N(INFINITY));
  return where(abs(rounded(value)) == Doubles(INFINITY), infinite, value);
}
template <typename X>
auto legendre_p(X x, Doubles n) {
  using N = NumberOf<X>;
  const auto size = size_of(x);
  const N value = recurrence(N(size), n, [size](double k, N now, N before) {
    return (size * now * (2 * k + 1) - before * k) / (k + 1);
  });
  return with_sign_of_odd(is_negative(x), n, value);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
