#pragma once
// Orthogonal polynomials by their recurrences (DLMF 18.9), in the type F. Degrees above kMaxSteps
// use closed forms or asymptotic ones, so that the time of a call has a bound.

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
template <typename F, typename Next>
C10_HOST_DEVICE F recurrence(F p1, int64_t n, const Next& next) {
  if (n == 0) return 1;
  F before = 1, now = p1;
  for (int64_t k = 1; k < n && std::isfinite(now); ++k) {
    const F following = next(static_cast<F>(k), now, before);
    before = now;
    now = following;
  }
  return now;
}

// The Chebyshev polynomials differ in p[1] alone: x, 2x, 2x - 1 and 2x + 1.
template <typename F>
C10_HOST_DEVICE F chebyshev(F x, F p1, int64_t n) {
  return recurrence(p1, n, [x](F, F now, F before) { return 2 * x * now - before; });
}

C10_HOST_DEVICE inline int sign_of_odd(int64_t n) { return n % 2 ? -1 : 1; }

// For n of any size, with x = cos(angle) or cosh(angle): cos(m angle), or sin(m angle) / sin(angle
// / d), where m is n plus a fraction (DLMF 18.5.1 to 18.5.4).
template <typename F>
C10_HOST_DEVICE F cosine_form(F x, F m, F d) {
  if (x <= 1) {
    const F angle = std::acos(x);
    return std::cos(m * angle) / (d == 0 ? 1 : std::cos(angle / d));
  }
  const F angle = std::acosh(x);
  return std::cosh(m * angle) / (d == 0 ? 1 : std::cosh(angle / d));
}
template <typename F>
C10_HOST_DEVICE F sine_form(F x, F m, F d) {
  if (x == 1) return m * d;
  if (x < 1) {
    const F angle = std::acos(x);
    return std::sin(m * angle) / std::sin(angle / d);
  }
  const F angle = std::acosh(x);
  return std::sinh(m * angle) / std::sinh(angle / d);
}

// All of them for x >= 0: the others follow by symmetry (DLMF 18.6.1).
template <typename F>
C10_HOST_DEVICE F chebyshev_t(F x, int64_t n) {
  const F size = x < 0 ? -x : x;
  const F value =
      n <= kMaxSteps || x != x ? chebyshev(size, size, n) : cosine_form<F>(size, F(n), 0);
  return x < 0 ? sign_of_odd(n) * value : value;
}
template <typename F>
C10_HOST_DEVICE F chebyshev_u(F x, int64_t n) {
  const F size = x < 0 ? -x : x;
  const F value = n <= kMaxSteps || x != x ? chebyshev(size, 2 * size, n)
                                           : sine_form<F>(size, F(n) + F(1.0L), 1);
  return x < 0 ? sign_of_odd(n) * value : value;
}
// The values of V and W at -x are each other's, but for the sign.
template <typename F>
C10_HOST_DEVICE F chebyshev_v_of_positive(F x, int64_t n) {
  return n <= kMaxSteps || x != x ? chebyshev(x, 2 * x - 1, n)
                                  : cosine_form<F>(x, F(n) + F(0.5L), 2);
}
template <typename F>
C10_HOST_DEVICE F chebyshev_w_of_positive(F x, int64_t n) {
  return n <= kMaxSteps || x != x ? chebyshev(x, 2 * x + 1, n) : sine_form<F>(x, F(n) + F(0.5L), 2);
}
template <typename F>
C10_HOST_DEVICE F chebyshev_v(F x, int64_t n) {
  return x < 0 ? sign_of_odd(n) * chebyshev_w_of_positive(-x, n) : chebyshev_v_of_positive(x, n);
}
template <typename F>
C10_HOST_DEVICE F chebyshev_w(F x, int64_t n) {
  return x < 0 ? sign_of_odd(n) * chebyshev_v_of_positive(-x, n) : chebyshev_w_of_positive(x, n);
}

// Hermite polynomials grow so fast that they overflow after few thousand steps. Their sign is then
// known only beyond the largest zero, which is below sqrt(2 n).
template <typename F>
C10_HOST_DEVICE F overflowed(F value, F x, F n) {
  return std::isfinite(value) || x * x > 2 * n + 2 ? value : NAN;
}
template <typename F>
C10_HOST_DEVICE F hermite_h(F x, int64_t n) {
  const F size = x < 0 ? -x : x;
  const F value =
      overflowed(recurrence(2 * size, n,
                            [size](F k, F now, F before) { return 2 * (size * now - k * before); }),
                 size, static_cast<F>(n));
  return x < 0 ? sign_of_odd(n) * value : value;
}
template <typename F>
C10_HOST_DEVICE F hermite_he(F x, int64_t n) {
  const F size = x < 0 ? -x : x;
  const F value = overflowed(
      recurrence(size, n, [size](F k, F now, F before) { return size * now - k * before; }), size,
      2 * static_cast<F>(n));
  return x < 0 ? sign_of_odd(n) * value : value;
}

C10_HOST_DEVICE inline double cylinder_j0(double x) { return ::j0(x); }
inline long double cylinder_j0(long double x) { return ::j0l(x); }

// Fejer's formula beyond (Szego, Orthogonal polynomials, 8.22), in Hilb's form, which holds at 0
// too.
template <typename F>
C10_HOST_DEVICE F laguerre_l(F x, int64_t n) {
  if (n > kMaxStepsWithoutForm && x == x) {
    const F root = 2 * std::sqrt((n + F(0.5L)) * std::fabs(x)), factor = std::exp(x / 2);
    return factor * (x >= 0 ? cylinder_j0(root)
                            : std::exp(root) / std::sqrt(2 * F(3.14159265358979323846L) * root));
  }
  const F value = recurrence(1 - x, n, [x](F k, F now, F before) {
    return now + (k * (now - before) - x * now) / (k + 1);
  });
  // Beyond the largest zero, the sign is that of the leading term.
  return std::isinf(value) ? (x > 0 ? sign_of_odd(n) : 1) * INFINITY : value;
}

template <typename F>
C10_HOST_DEVICE F legendre_of_positive(F x, int64_t n) {
  if (n > kMaxStepsWithoutForm && x == x) {
    if (x == 1) return 1;
    if (x > 1) {
      const F angle = std::acosh(x), m = (n + F(0.5L)) * angle;
      return std::exp(m) / std::sqrt(2 * F(3.14159265358979323846L) * n * std::sinh(angle));
    }
    const F angle = std::acos(x);
    return std::sqrt(angle / std::sin(angle)) * cylinder_j0((n + F(0.5L)) * angle);
  }
  return recurrence(
      x, n, [x](F k, F now, F before) { return ((2 * k + 1) * x * now - k * before) / (k + 1); });
}
// A second copy of the recurrence in one loop takes the registers of the first.
template <typename F>
C10_NOINLINE C10_HOST_DEVICE F legendre_of_negative(F x, int64_t n) {
  return sign_of_odd(n) * legendre_of_positive(-x, n);
}
template <typename F>
C10_HOST_DEVICE F legendre_p(F x, int64_t n) {
  return x < 0 ? legendre_of_negative(x, n) : legendre_of_positive(x, n);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
