#pragma once
// The families of orthogonal polynomials: the steps of their recurrences, for coefficients and for
// vectors of numbers, and the functions of one number in polynomials.h.

#include <type_traits>

#include <ATen/native/special_polynomials/cpu/small_degrees.h>
#include <ATen/native/special_polynomials/polynomials.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// An argument whose polynomials are computed with compensation.
struct ExactDoubles : Doubles {};

// The numbers that the polynomials of an argument are computed in.
template <typename X>
using NumberOf = std::conditional_t<std::is_same_v<X, Doubles>, Doubles, Compensated>;

inline Doubles number(ExactDoubles x) { return x; }
inline Doubles number(Doubles x) { return x; }

// x * c and c - x, exact if polynomials of x are.
inline Doubles times(Doubles x, double c) { return x * c; }
inline TwoDoubles times(ExactDoubles x, double c) {
  const auto p = exact_product(x, Doubles(c));
  return TwoDoubles::of(p.product, p.error);
}
inline Doubles minus(double c, Doubles x) { return Doubles(c) - x; }
inline TwoDoubles minus(double c, ExactDoubles x) { return TwoDoubles(c) - TwoDoubles(x); }

// p[n] from p[1], and p[k + 1] = next(k, p[k], p[k - 1]).
template <typename N, typename Next>
C10_ALWAYS_INLINE N recurrence(N p1, Doubles n, const Next& next) {
  N before(1.0), now = p1, value = where(n < Doubles(1.0), before, now);
  for (double k = 1; any(n > Doubles(k)); ++k) {
    const N following = next(k, now, before);
    before = now;
    now = following;
    value = where(n > Doubles(k), now, value);
  }
  return value;
}

// Each family has
//   parity     whether p[n] has only even or only odd powers
//   first      the coefficients of p[1]
//   step(k)    the recurrence
//   by_steps   p[n](x) for vectors of any degrees up to kMaxSteps
//   one        p[n](x) for one number and any degree

// p1(2 x) is the polynomial of degree 1.
template <typename X, typename P1>
auto chebyshev(X x, Doubles n, const P1& p1) {
  using N = NumberOf<X>;
  const auto twice = x + x;
  return recurrence(N(p1(twice)), n,
                    [twice](double, N now, N before) { return twice * now - before; });
}
struct Chebyshev {
  static constexpr Step step(double) { return {0, 2, 1, 1}; }
};
struct ChebyshevT : Chebyshev {
  static constexpr bool parity = true;
  static constexpr double first[] = {0, 1};
  template <typename X>
  static auto by_steps(X x, Doubles n) {
    return chebyshev(x, n, [x](auto) { return x; });
  }
  template <typename F>
  static F one(F x, int64_t n) {
    return chebyshev_t(x, n);
  }
};
struct ChebyshevU : Chebyshev {
  static constexpr bool parity = true;
  static constexpr double first[] = {0, 2};
  template <typename X>
  static auto by_steps(X x, Doubles n) {
    return chebyshev(x, n, [](auto twice) { return twice; });
  }
  template <typename F>
  static F one(F x, int64_t n) {
    return chebyshev_u(x, n);
  }
};
struct ChebyshevV : Chebyshev {
  static constexpr bool parity = false;
  static constexpr double first[] = {-1, 2};
  template <typename X>
  static auto by_steps(X x, Doubles n) {
    using N = NumberOf<X>;
    return chebyshev(x, n, [](auto twice) { return N(twice) - N(1.0); });
  }
  template <typename F>
  static F one(F x, int64_t n) {
    return chebyshev_v(x, n);
  }
};
struct ChebyshevW : Chebyshev {
  static constexpr bool parity = false;
  static constexpr double first[] = {1, 2};
  template <typename X>
  static auto by_steps(X x, Doubles n) {
    using N = NumberOf<X>;
    return chebyshev(x, n, [](auto twice) { return N(twice) - N(-1.0); });
  }
  template <typename F>
  static F one(F x, int64_t n) {
    return chebyshev_w(x, n);
  }
};

// The argument of the shifted polynomials.
template <typename F>
F twice_less_1(F x) {
  return x + x - F(1.0);
}
inline TwoDoubles twice_less_1(ExactDoubles x) { return TwoDoubles(x + x) - TwoDoubles(1.0); }

template <typename Base>
struct Shifted {
  static constexpr bool parity = false;
  static constexpr double first[] = {Base::first[0] - Base::first[1], 2 * Base::first[1]};
  static constexpr Step step(double k) {
    const Step s = Base::step(k);
    return {s.a - s.b, 2 * s.b, s.c, s.d};
  }
  template <typename X>
  static auto by_steps(X x, Doubles n) {
    return Base::by_steps(twice_less_1(x), n);
  }
  template <typename F>
  static F one(F x, int64_t n) {
    return Base::one(twice_less_1(x), n);
  }
};

struct HermiteH {
  static constexpr bool parity = true;
  static constexpr double first[] = {0, 2};
  static constexpr Step step(double k) { return {0, 2, 2 * k, 1}; }
  template <typename X>
  static auto by_steps(X x, Doubles n) {
    using N = NumberOf<X>;
    const auto twice = x + x;
    return recurrence(
        N(twice), n, [twice](double k, N now, N before) { return twice * now - (2 * k) * before; });
  }
  template <typename F>
  static F one(F x, int64_t n) {
    return hermite_h(x, n);
  }
};
struct HermiteHe {
  static constexpr bool parity = true;
  static constexpr double first[] = {0, 1};
  static constexpr Step step(double k) { return {0, 1, k, 1}; }
  template <typename X>
  static auto by_steps(X x, Doubles n) {
    using N = NumberOf<X>;
    return recurrence(N(x), n, [x](double k, N now, N before) { return x * now - k * before; });
  }
  template <typename F>
  static F one(F x, int64_t n) {
    return hermite_he(x, n);
  }
};
// The coefficients of n! p[n] are whole numbers.
struct LaguerreL {
  static constexpr bool parity = false;
  static constexpr double first[] = {1, -1};
  static constexpr Step step(double k) { return {2 * k + 1, -1, k * k, 1}; }
  template <typename X>
  static auto by_steps(X x, Doubles n) {
    using N = NumberOf<X>;
    return recurrence(N(minus(1, x)), n, [x](double k, N now, N before) {
      return divided(minus(2 * k + 1, x) * now - k * before, k + 1);
    });
  }
  template <typename F>
  static F one(F x, int64_t n) {
    return laguerre_l(x, n);
  }
};
struct LegendreP {
  static constexpr bool parity = true;
  static constexpr double first[] = {0, 1};
  static constexpr Step step(double k) { return {0, 2 * k + 1, k, k + 1}; }
  template <typename X>
  static auto by_steps(X x, Doubles n) {
    using N = NumberOf<X>;
    return recurrence(N(x), n, [x](double k, N now, N before) {
      return divided(times(x, 2 * k + 1) * now - k * before, k + 1);
    });
  }
  template <typename F>
  static F one(F x, int64_t n) {
    return legendre_p(x, n);
  }
};

constexpr double kFactorials[1][16] = {{1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880}};
inline Doubles factorial(Doubles::Mask n) { return ChosenRows<kRowsOf<kFactorials>>(n)[0]; }
inline Doubles factorial(int n) { return kFactorials[0][n]; }

// p[n](x) for degrees up to 9: those of the lanes, given by their lowest bits, or one for all.
template <typename Family>
struct Powers {
  template <typename N, typename X, typename Degree>
  static C10_ALWAYS_INLINE N of(X x, Degree n) {
    return small_degree<Family, N>(number(x), n);
  }
};
template <typename Base>
struct Powers<Shifted<Base>> {
  template <typename N, typename X, typename Degree>
  static C10_ALWAYS_INLINE N of(X x, Degree n) {
    // 2x - 1 is exact for x in float32.
    if constexpr (std::is_same_v<N, Doubles>) return small_degree<Base, N>(twice_less_1(x), n);
    else return small_degree<Shifted<Base>, N>(number(x), n);
  }
};
template <>
struct Powers<LaguerreL> {
  template <typename N, typename X, typename Degree>
  static C10_ALWAYS_INLINE N of(X x, Degree n) {
    return divided(small_degree<LaguerreL, N>(number(x), n), factorial(n));
  }
};
template <typename Family, typename X, typename Degree>
C10_ALWAYS_INLINE Doubles by_powers(X x, Degree n) {
  return rounded(Powers<Family>::template of<NumberOf<X>>(x, n));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
