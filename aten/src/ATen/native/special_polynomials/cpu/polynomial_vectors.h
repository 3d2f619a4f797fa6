#pragma once
// Orthogonal polynomials by their recurrences, of vectors of doubles: polynomials.h has the
// formulas, and the forms for large degrees.

#include <cmath>

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/special_polynomials/polynomials.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// p[n] for whole numbers n from 0 to kMaxSteps. A lane keeps its value once n is reached, or once
// it overflowed.
template <typename Next>
Doubles recurrence(Doubles p1, Doubles n, const Next& next) {
  const Doubles one(1.0);
  Doubles before = one, now = p1;
  for (double k = 1;; ++k) {
    const auto active = (n > Doubles(k)) & (abs(now) < Doubles(INFINITY));
    if (!any(active)) break;
    const Doubles following = next(k, now, before);
    before = now;
    now = where(active, following, now);
  }
  return where(n < one, one, now);
}

inline Doubles with_sign_of_odd(Doubles x, Doubles n, Doubles value) {
  const auto odd = n - Doubles(2.0) * floor(n * 0.5) == Doubles(1.0);
  return where((x < Doubles(0.0)) & odd, -value, value);
}

// p1(size, is negative) is the polynomial of degree 1.
template <typename P1>
Doubles chebyshev(Doubles x, Doubles n, const P1& p1) {
  const Doubles size = abs(x), twice = size + size;
  const Doubles value =
      recurrence(p1(twice, x < Doubles(0.0)), n,
                 [twice](double, Doubles now, Doubles before) { return twice * now - before; });
  return with_sign_of_odd(x, n, value);
}
using Lanes = Doubles::Mask;
inline Doubles chebyshev_t(Doubles x, Doubles n) {
  return chebyshev(x, n, [](Doubles twice, Lanes) { return twice * 0.5; });
}
inline Doubles chebyshev_u(Doubles x, Doubles n) {
  return chebyshev(x, n, [](Doubles twice, Lanes) { return twice; });
}
inline Doubles chebyshev_v(Doubles x, Doubles n) {
  return chebyshev(x, n, [](Doubles twice, Lanes negative) {
    return where(negative, twice + 1.0, twice - 1.0);
  });
}
inline Doubles chebyshev_w(Doubles x, Doubles n) {
  return chebyshev(x, n, [](Doubles twice, Lanes negative) {
    return where(negative, twice - 1.0, twice + 1.0);
  });
}

// Beyond the largest zero, the sign of an overflow is known.
inline Doubles overflowed(Doubles value, Doubles x, Doubles n) {
  const auto known = (abs(value) < Doubles(INFINITY)) | (x * x > n * 2.0 + 2.0);
  return where(known, value, Doubles(NAN));
}
inline Doubles hermite_h(Doubles x, Doubles n) {
  const Doubles size = abs(x);
  const Doubles value = recurrence(size * 2.0, n, [size](double k, Doubles now, Doubles before) {
    return (size * now - before * k) * 2.0;
  });
  return with_sign_of_odd(x, n, overflowed(value, x, n));
}
inline Doubles hermite_he(Doubles x, Doubles n) {
  const Doubles size = abs(x);
  const Doubles value = recurrence(
      size, n, [size](double k, Doubles now, Doubles before) { return size * now - before * k; });
  return with_sign_of_odd(x, n, overflowed(value, x, n * 2.0));
}
inline Doubles laguerre_l(Doubles x, Doubles n) {
  const Doubles value = recurrence(Doubles(1.0) - x, n, [x](double k, Doubles now, Doubles before) {
    return now + ((now - before) * k - x * now) / Doubles(k + 1);
  });
  const Doubles infinite = with_sign_of_odd(-x, n, Doubles(INFINITY));
  return where(abs(value) == Doubles(INFINITY), infinite, value);
}
inline Doubles legendre_p(Doubles x, Doubles n) {
  const Doubles size = abs(x);
  const Doubles value = recurrence(size, n, [size](double k, Doubles now, Doubles before) {
    return (size * now * (2 * k + 1) - before * k) / Doubles(k + 1);
  });
  return with_sign_of_odd(x, n, value);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
