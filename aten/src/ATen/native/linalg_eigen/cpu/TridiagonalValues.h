#pragma once
// Eigenvalues of tridiagonal matrices without vectors, by the QL method without square roots (Pal,
// Walker and Kahan; Parlett, "The Symmetric Eigenvalue Problem", section 8.15), as LAPACK's sterf.
// The two quotients of a step do not wait for each other here.

#include <algorithm>
#include <cmath>
#include <limits>

namespace at::native {
inline namespace CPU_CAPABILITY {

// One sweep over rows [first, last]. `squares` are those of the numbers beside the diagonal.
template <typename R>
void rootless_sweep(R* d, R* squares, int64_t first, int64_t last) {
  constexpr R kMin = std::numeric_limits<R>::min();
  const R beside = std::sqrt(squares[first]), ratio = (d[first + 1] - d[first]) / (2 * beside);
  // Wilkinson's shift.
  const R shift = d[first] - beside / (ratio + std::copysign(std::sqrt(ratio * ratio + 1), ratio));
  R cosine = 1, sine = 0, gamma = d[last] - shift, p = gamma * gamma;
  for (int64_t i = last - 1; i >= first; --i) {
    const R square = squares[i], r = p + square;
    if (i + 1 < last) squares[i + 1] = sine * r;
    const R old_cosine = cosine, old_gamma = gamma, inverse = r / p;
    cosine = p / r;
    sine = square / r;
    gamma = cosine * (d[i] - shift) - sine * old_gamma;
    d[i + 1] = old_gamma + (d[i] - gamma);
    p = cosine > kMin ? gamma * gamma * inverse : old_cosine * square;
  }
  squares[first] = sine * p;
  d[first] = shift + gamma;
}

// The diagonal becomes the eigenvalues in ascending order. Returns 0, or the number of values that
// did not converge. `beside` is overwritten.
template <typename R>
int tridiagonal_values(int64_t n, R* d, R* beside) {
  R norm = 0;
  for (int64_t i = 0; i < n; ++i)
    norm = std::max({norm, std::abs(d[i]), i + 1 < n ? std::abs(beside[i]) : R(0)});
  if (norm == 0) return 0;
  // By a power of two, so that squares keep their digits.
  const int exponent = std::ilogb(norm);
  const R down = std::ldexp(R(1), -exponent);
  for (int64_t i = 0; i < n; ++i) {
    d[i] *= down;
    if (i + 1 < n) beside[i] = (beside[i] * down) * (beside[i] * down);
  }
  // Small numbers at the top keep their digits.
  if (std::abs(d[n - 1]) < std::abs(d[0])) {
    std::reverse(d, d + n);
    std::reverse(beside, beside + n - 1);
  }
  constexpr R kEpsilon = std::numeric_limits<R>::epsilon() / 2, kSmall = kEpsilon * kEpsilon;
  // After some sweeps, what is small beside the whole matrix counts as zero, too.
  constexpr int kPatience = 6, kMaxSweeps = 60;
  for (int64_t l = 0; l < n; ++l) {
    for (int sweep = 0;; ++sweep) {
      const R floor = sweep < kPatience ? std::numeric_limits<R>::min() : kSmall;
      int64_t m = l;
      while (m + 1 < n && beside[m] > std::max(floor, kSmall * std::abs(d[m] * d[m + 1]))) ++m;
      if (m == l) break;
      if (sweep == kMaxSweeps) return static_cast<int>(n - l);
      if (m + 1 < n) beside[m] = 0;
      rootless_sweep(d, beside, l, m);
    }
  }
  std::sort(d, d + n);
  for (int64_t i = 0; i < n; ++i) d[i] = std::ldexp(d[i], exponent);
  return 0;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
