#pragma once
// Samplers by rejection, on every device. A generator G has uniform_double(), in [0, 1), and
// normal_double().

#include <c10/macros/Macros.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace at::native {

// Transformed rejection with squeeze for Poisson numbers of mean 10 and more: the algorithm PTRS of
// Hoermann 1993, "The transformed rejection method for generating Poisson random variables".
template <typename G>
C10_HOST_DEVICE int64_t sample_poisson_by_rejection(double mean, G& gen) {
  const double log_mean = std::log(mean);
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inv_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = gen.uniform_double() - 0.5, v = gen.uniform_double();
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return static_cast<int64_t>(k);
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inv_alpha) - std::log(a / (us * us) + b) <=
        -mean + k * log_mean - std::lgamma(k + 1))
      return static_cast<int64_t>(k);
  }
}

// Small means: how many uniform factors keep the product above exp(-mean) (Knuth 1969).
template <typename G>
C10_HOST_DEVICE int64_t sample_poisson(double mean, G& gen) {
  // Above this, means are not distinguishable from infinity, and samples do not fit into int64.
  if (mean > 9e18) return std::numeric_limits<int64_t>::max();
  if (mean >= 10) return sample_poisson_by_rejection(mean, gen);
  if (mean == 0) return 0;
  const double limit = std::exp(-mean);
  int64_t count = 0;
  for (double product = gen.uniform_double(); product > limit; product *= gen.uniform_double())
    ++count;
  return count;
}

// log(k!) minus Stirling's formula at k: ln(k!) - [(k + 1/2) ln(k + 1) - (k + 1) + ln(2 pi) / 2].
C10_HOST_DEVICE inline double stirling_tail(double k) {
  if (k <= 9) {
    return std::lgamma(k + 1) - ((k + 0.5) * std::log(k + 1) - (k + 1) + 0.5 * std::log(2 * M_PI));
  }
  const double s = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / s) / s) / (k + 1);
}

// Transformed rejection for at least 10 expected successes: the algorithm BTRS of Hoermann 1993,
// "The generation of binomial random variates".
template <typename G>
C10_HOST_DEVICE double sample_binomial_by_rejection(double n, double p, G& gen) {
  const double spread = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = n * p + 0.5, v_r = 0.92 - 4.2 / b, r = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * spread, m = std::floor((n + 1) * p);
  while (true) {
    const double u = gen.uniform_double() - 0.5, v = gen.uniform_double();
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || k > n) continue;
    const double bound = (m + 0.5) * std::log((m + 1) / (r * (n - m + 1))) +
                         (n + 1) * std::log((n - m + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(r * (n - k + 1) / (k + 1)) + stirling_tail(m) +
                         stirling_tail(n - m) - stirling_tail(k) - stirling_tail(n - k);
    if (std::log(v * alpha / (a / (us * us) + b)) <= bound) return k;
  }
}

// Few successes: the sum of geometric waiting times.
template <typename G>
C10_HOST_DEVICE double sample_binomial_by_waiting(double n, double p, G& gen) {
  const double log_q = std::log1p(-p);
  double tries = 0, successes = 0;
  while (true) {
    tries += std::ceil(std::log(gen.uniform_double()) / log_q);
    if (!(tries <= n)) return successes;
    ++successes;
  }
}

template <typename G>
C10_HOST_DEVICE double sample_binomial(double n, double p, G& gen) {
  if (!(n > 0) || p <= 0) return 0;
  if (p >= 1) return n;
  if (p != p) return p;
  // More failures than successes: count the rarer.
  const double rare = p <= 0.5 ? p : 1 - p;
  const double found = n * rare >= 10 ? sample_binomial_by_rejection(n, rare, gen)
                                      : sample_binomial_by_waiting(n, rare, gen);
  return p <= 0.5 ? found : n - found;
}

// Marsaglia and Tsang 2000, "A simple method for generating gamma variables".
template <typename G>
C10_HOST_DEVICE double sample_gamma(double alpha, G& gen) {
  double scale = 1;
  if (!(alpha > 0)) return alpha == 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(alpha)) return alpha;
  if (alpha < 1) {
    scale = std::pow(1 - gen.uniform_double(), 1 / alpha);
    alpha += 1;
  }
  // PyTorch's streams have these two constants in single precision, for samples of double
  // precision, too.
  const double d = alpha - 1.0f / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    double x, y;
    do {
      x = gen.normal_double();
      y = 1 + c * x;
    } while (y <= 0);
    const double v = y * y * y, u = 1 - gen.uniform_double(), xx = x * x;
    if (u < 1 - 0.0331f * xx * xx) return scale * d * v;
    if (std::log(u) < 0.5 * xx + d * (1 - v + std::log(v))) return scale * d * v;
  }
}

}  // namespace at::native
