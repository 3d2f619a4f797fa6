#pragma once
// How a sample moves with a parameter of its distribution while its quantile stays: for a sample x
// of the cumulative distribution F(x; a) that is dx/da = -(dF/da) / (dF/dx) (implicit
// reparameterization, Figurnov, Mohamed and Mnih 2018). F and dF/da are computed together, by the
// same series or continued fraction.

#include <ATen/native/special/SpecialFunctions.h>

#include <cmath>

namespace at::native {
inline namespace CPU_CAPABILITY {

// A number and its derivative with respect to the parameter.
struct Dual {
  double value, slope;
};
C10_HOST_DEVICE inline Dual operator+(Dual a, Dual b) {
  return {a.value + b.value, a.slope + b.slope};
}
C10_HOST_DEVICE inline Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
C10_HOST_DEVICE inline Dual operator/(Dual a, Dual b) {
  const double q = a.value / b.value;
  return {q, (a.slope - q * b.slope) / b.value};
}

// A continued fraction b0 + a1 / (b1 + a2 / (b2 + ...)), evaluated from the front (Lentz 1976).
class ContinuedFraction {
 public:
  C10_HOST_DEVICE explicit ContinuedFraction(Dual first) : result_(first), c_(first), d_{0, 0} {}
  // Adds a / (b + ...). Returns whether the result is accurate to `tolerance`.
  C10_HOST_DEVICE bool add(Dual a, Dual b, double tolerance) {
    d_ = Dual{1, 0} / nonzero(b + a * d_);
    c_ = nonzero(b + a / c_);
    const Dual factor = c_ * d_;
    result_ = result_ * factor;
    return std::fabs(factor.value - 1) < tolerance &&
           std::fabs(factor.slope * result_.value) <= tolerance * std::fabs(result_.slope);
  }
  C10_HOST_DEVICE Dual result() const { return result_; }

 private:
  C10_HOST_DEVICE static Dual nonzero(Dual x) { return {x.value == 0 ? 1e-30 : x.value, x.slope}; }
  Dual result_, c_, d_;
};

constexpr int64_t kMaxFractionTerms = 20000;

// Samples of a large shape parameter: the expansion of Cornish and Fisher 1938 in 1 / sqrt(a).
C10_HOST_DEVICE inline double large_gamma_sample_grad(double a, double x) {
  const double root = std::sqrt(a);
  const auto excess = [&](double z) {
    const double zz = z * z;
    return (zz - 1) / (3 * root) + z * (zz - 7) / (36 * a) -
           (3 * zz * zz + 7 * zz - 16) / (810 * a * root);
  };
  double z = (x - a) / root;
  for (int i = 0; i < 6; ++i) z = (x - a) / root - excess(z);
  const double zz = z * z;
  return 1 + z / (2 * root) - z * (zz - 7) / (72 * a * root) +
         (3 * zz * zz + 7 * zz - 16) / (810 * a * a);
}

// dx/da of a sample x of the gamma distribution with shape a and scale 1.
C10_HOST_DEVICE inline double gamma_sample_grad(double a, double x, double tolerance) {
  if (!(a > 0) || std::isinf(a) || x != x) return NAN;
  if (x <= 0) return 0;
  if (a > 1e5 && std::fabs(x - a) < 10 * std::sqrt(a)) return large_gamma_sample_grad(a, x);
  if (x < a + 1) {
    // P(a, x) is the density times the sum of x^(n+1) / (a (a+1) ... (a+n)). The 1/a in the
    // derivative of every term cancels against digamma(a) = digamma(a + 1) - 1/a.
    double term = x / a, sum = term, harmonic = 0, slopes = 0;
    for (double k = a + 1;; k += 1) {
      const double inverse = 1 / k;
      term *= x * inverse;
      harmonic += inverse;
      sum += term;
      slopes += term * harmonic;
      if (term <= tolerance * sum * (1 - x * inverse) || term == 0) break;
    }
    return slopes - (std::log(x) - digamma(a + 1)) * sum;
  }
  // Q(a, x) is x times the density, over x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / ...).
  double b = x + 1 - a;
  ContinuedFraction fraction({b, -1});
  for (int64_t i = 1; i < kMaxFractionTerms; ++i) {
    const double n = static_cast<double>(i);
    b += 2;
    if (fraction.add({-n * (n - a), n}, {b, -1}, tolerance)) break;
  }
  const Dual q = Dual{x, 0} / fraction.result();
  return (std::log(x) - digamma(a)) * q.value + q.slope;
}

// The continued fraction of the incomplete beta function: I_x(a, b) = x^a (1 - x)^b / (a B(a, b))
// times this.
C10_HOST_DEVICE inline Dual beta_fraction(Dual a, Dual b, double x, double tolerance) {
  const Dual one{1, 0}, z{x, 0}, sum = a + b;
  ContinuedFraction fraction(one);
  Dual index{0, 0};
  fraction.add(Dual{-x, 0} * sum / (a + one), one, tolerance);
  for (int64_t i = 1; i < kMaxFractionTerms; ++i) {
    index = {static_cast<double>(i), 0};
    const Dual minus{-index.value, 0}, middle = a + index + index;
    fraction.add(index * (b + minus) * z / ((middle + Dual{-1, 0}) * middle), one, tolerance);
    const Dual odd = Dual{-x, 0} * (a + index) * (sum + index) / (middle * (middle + one));
    if (fraction.add(odd, one, tolerance)) break;
  }
  return one / fraction.result();
}

// Both parameters are large: a normal distribution.
C10_HOST_DEVICE inline double large_beta_sample_grad(double x, double a, double b) {
  const double t = a + b, sd = std::sqrt(a * (b / t) / (t * (t + 1)));
  const double z = (x - a / t) / sd;
  return b / (t * t) + z * sd / 2 * (1 / a - 2 / t - 1 / (t + 1));
}

// dx/da over 1 - x, of a sample x of the beta distribution with parameters a and total - a. One
// coordinate of a Dirichlet sample is distributed so.
C10_HOST_DEVICE inline double beta_sample_grad(double x, double a, double total, double tolerance) {
  const double b = total - a;
  if (!(a >= 0) || !(b > 0) || std::isinf(total) || x != x) return NAN;
  if (x <= 0 || a == 0) return 0;
  if (std::fmin(a, b) > 1e7) return x < 1 ? large_beta_sample_grad(x, a, b) / (1 - x) : NAN;
  const double at_total = digamma(total) + std::log(x);
  if (x < (a + 1) / (total + 2)) {
    const Dual h = beta_fraction({a, 1}, {b, 0}, x, tolerance);
    return ((digamma(a + 1) - at_total) * h.value - h.slope) * x / a;
  }
  const Dual h = beta_fraction({b, 0}, {a, 1}, 1 - x, tolerance);
  return ((at_total - digamma(a)) * h.value + h.slope) * x / b;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
