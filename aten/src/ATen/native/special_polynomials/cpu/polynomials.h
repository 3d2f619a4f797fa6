#pragma once
// Orthogonal polynomials by their recurrences (DLMF 18.9). Degrees above kMaxSteps use closed forms
// or asymptotic ones, so that the time of a call has a bound.

#include <cmath>
#include <cstdint>

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr int64_t kMaxSteps = 1000;
// For polynomials that have no closed form; the asymptotic forms are wrong by about 1 / n.
constexpr int64_t kMaxStepsWithoutForm = 1000000;

// p[n] from p[0] = 1, p[1] and p[k + 1] = next(k, p[k], p[k - 1]). Ends early where numbers
// overflow.
template <typename F>
long double recurrence(long double p1, int64_t n, const F& next) {
  if (n == 0) return 1;
  long double before = 1, now = p1;
  for (int64_t k = 1; k < n && std::isfinite(now); ++k) {
    const long double following = next(static_cast<long double>(k), now, before);
    before = now;
    now = following;
  }
  return now;
}

// The Chebyshev polynomials differ in p[1] alone: x, 2x, 2x - 1 and 2x + 1.
inline long double chebyshev(long double x, long double p1, int64_t n) {
  return recurrence(p1, n, [x](long double, long double now, long double before) {
    return 2 * x * now - before;
  });
}

inline long double sign_of_odd(int64_t n) { return n % 2 ? -1 : 1; }

// For n of any size, with x = cos(angle) or cosh(angle): cos(m angle), or sin(m angle) / sin(angle
// / d), where m is n plus a fraction (DLMF 18.5.1 to 18.5.4).
inline long double cosine_form(long double x, long double m, long double d) {
  if (x <= 1) {
    const long double angle = std::acos(x);
    return std::cos(m * angle) / (d == 0 ? 1 : std::cos(angle / d));
  }
  const long double angle = std::acosh(x);
  return std::cosh(m * angle) / (d == 0 ? 1 : std::cosh(angle / d));
}
inline long double sine_form(long double x, long double m, long double d) {
  if (x == 1) return m * d;
  if (x < 1) {
    const long double angle = std::acos(x);
    return std::sin(m * angle) / std::sin(angle / d);
  }
  const long double angle = std::acosh(x);
  return std::sinh(m * angle) / std::sinh(angle / d);
}

// All of them for x >= 0: the others follow by symmetry (DLMF 18.6.1).
inline long double chebyshev_t(long double x, int64_t n) {
  if (x < 0) return sign_of_odd(n) * chebyshev_t(-x, n);
  return n <= kMaxSteps || x != x ? chebyshev(x, x, n) : cosine_form(x, n, 0);
}
inline long double chebyshev_u(long double x, int64_t n) {
  if (x < 0) return sign_of_odd(n) * chebyshev_u(-x, n);
  return n <= kMaxSteps || x != x ? chebyshev(x, 2 * x, n) : sine_form(x, n + 1.0L, 1);
}
inline long double chebyshev_w(long double x, int64_t n);
inline long double chebyshev_v(long double x, int64_t n) {
  if (x < 0) return sign_of_odd(n) * chebyshev_w(-x, n);
  return n <= kMaxSteps || x != x ? chebyshev(x, 2 * x - 1, n) : cosine_form(x, n + 0.5L, 2);
}
inline long double chebyshev_w(long double x, int64_t n) {
  if (x < 0) return sign_of_odd(n) * chebyshev_v(-x, n);
  return n <= kMaxSteps || x != x ? chebyshev(x, 2 * x + 1, n) : sine_form(x, n + 0.5L, 2);
}

// Hermite polynomials grow so fast that they overflow after few thousand steps. Their sign is then
// known only beyond the largest zero, which is below sqrt(2 n).
inline long double overflowed(long double value, long double x, int64_t n) {
  return std::isfinite(value) || x * x > 2.0L * n + 2 ? value : NAN;
}
inline long double hermite_h(long double x, int64_t n) {
  if (x < 0) return sign_of_odd(n) * hermite_h(-x, n);
  const long double value =
      recurrence(2 * x, n, [x](long double k, long double now, long double before) {
    return 2 * (x * now - k * before);
  });
  return overflowed(value, x, n);
}
inline long double hermite_he(long double x, int64_t n) {
  if (x < 0) return sign_of_odd(n) * hermite_he(-x, n);
  const long double value = recurrence(
      x, n,
      [x](long double k, long double now, long double before) { return x * now - k * before; });
  return overflowed(value, x, 2 * n);
}

// Fejer's formula beyond (Szego, Orthogonal polynomials, 8.22), in Hilb's form, which holds at 0
// too.
inline long double laguerre_l(long double x, int64_t n) {
  if (n > kMaxStepsWithoutForm && x == x) {
    const long double root = 2 * std::sqrt((n + 0.5L) * std::fabs(x)), factor = std::exp(x / 2);
    return factor *
           (x >= 0 ? ::j0l(root) : std::exp(root) / std::sqrt(2 * 3.14159265358979323846L * root));
  }
  const long double value =
      recurrence(1 - x, n, [x](long double k, long double now, long double before) {
    return now + (k * (now - before) - x * now) / (k + 1);
  });
  // Beyond the largest zero, the sign is that of the leading term.
  return std::isinf(value) ? (x > 0 ? sign_of_odd(n) : 1) * INFINITY : value;
}

inline long double legendre_p(long double x, int64_t n) {
  if (x < 0) return sign_of_odd(n) * legendre_p(-x, n);
  if (n > kMaxStepsWithoutForm && x == x) {
    if (x == 1) return 1;
    if (x > 1) {
      const long double angle = std::acosh(x), m = (n + 0.5L) * angle;
      return std::exp(m) / std::sqrt(2 * 3.14159265358979323846L * n * std::sinh(angle));
    }
    const long double angle = std::acos(x);
    return std::sqrt(angle / std::sin(angle)) * ::j0l((n + 0.5L) * angle);
  }
  return recurrence(x, n, [x](long double k, long double now, long double before) {
    return ((2 * k + 1) * x * now - k * before) / (k + 1);
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
