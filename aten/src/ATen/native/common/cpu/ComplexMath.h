#pragma once
// Functions of complex numbers, whose real and imaginary parts are doubles in registers of their
// own. They are accurate to a few units in the last place of each part where ComplexBlocks.h's
// PartLimits say so; elsewhere intermediate results overflow, and C's functions are called.
//
// Sources: the inverse functions are those of W. Kahan, "Branch Cuts for Complex Elementary
// Functions", 1987: no difference in them cancels, and the signs of zeros choose the side of a cut.

#include <ATen/native/common/cpu/ComplexLoops.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace complex_math {

using D = Vec<double>;
using Z = ComplexVec<double>;

// a + b = sum + error.
struct Sum {
  D sum, error;
};
inline Sum exact_sum(D a, D b) {
  const D sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// log(x^2 + y^2). Near 1 the logarithm is as small as the rounding error of the sum.
inline D log_of_square(D x, D y) {
  const auto a = exact_product(x, x), b = exact_product(y, y);
  const Sum s = exact_sum(a.product, b.product);
  const D error = s.error + (a.error + b.error);
  return log(s.sum) + where(s.sum == 0.0, D(0.0), error / s.sum);
}

inline D absolute(Z z) { return sqrt(z.re * z.re + z.im * z.im); }
inline Z times(Z a, Z b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline Z divided(Z a, Z b) {
  const D size = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}
// i z, and -i z.
inline Z times_i(Z z) { return {-z.im, z.re}; }
inline Z times_minus_i(Z z) { return {z.im, -z.re}; }
inline Z scaled(Z z, double by) { return {z.re * by, z.im * by}; }

// --- exponentials --------------------------------------------------------------------------------

inline Z exp(Z z) {
  const D size = at::native::exp(z.re);
  return {size * cos(z.im), size * sin(z.im)};
}
// e^x cos y - 1 = (e^x - 1) - e^x (1 - cos y)
inline Z expm1(Z z) {
  const D size = at::native::exp(z.re), half = sin(z.im * 0.5);
  return {at::native::expm1(z.re) - size * (half * half * 2.0), size * sin(z.im)};
}
// The angle is the imaginary part times log 2, computed with more digits than a double has.
inline Z exp2(Z z) {
  constexpr double kLog2Rest = 2.3190468138462996e-17;
  const D size = at::native::exp2(z.re);
  const auto angle = exact_product(z.im, D(kLn2));
  const D rest = angle.error + z.im * kLog2Rest, s = sin(angle.product), c = cos(angle.product);
  return {size * (c - s * rest), where(z.im == 0.0, z.im, size * (s + c * rest))};
}

struct Hyperbolic {
  D sinh, cosh;
};
inline Hyperbolic hyperbolic(D x) {
  const D growth = at::native::expm1(abs(x)), ratio = growth / (growth + 1.0);
  return {copysign((growth + ratio) * 0.5, x), growth * ratio * 0.5 + 1.0};
}
inline Z sinh(Z z) {
  const Hyperbolic h = hyperbolic(z.re);
  return {h.sinh * cos(z.im), h.cosh * sin(z.im)};
}
inline Z cosh(Z z) {
  const Hyperbolic h = hyperbolic(z.re);
  return {h.cosh * cos(z.im), h.sinh * sin(z.im)};
}
inline Z sin(Z z) { return times_minus_i(sinh(times_i(z))); }
inline Z cos(Z z) { return cosh(times_i(z)); }
inline Z tanh(Z z) {
  // Beyond this the real part is 1 or -1, and squares would overflow.
  constexpr double kLarge = 300;
  const D size = abs(z.re);
  const Hyperbolic h = hyperbolic(copysign(min(D(kLarge), size), z.re));
  const D s = at::native::sin(z.im), c = at::native::cos(z.im), below = h.sinh * h.sinh + c * c;
  D im = s * c / below;
  const auto large = size > kLarge;
  if (any(large)) im = where(large, im * at::native::exp((size - kLarge) * -2.0), im);
  return {h.sinh * h.cosh / below, im};
}
inline Z tan(Z z) { return times_minus_i(tanh(times_i(z))); }

// As complex_logistic.
inline Z logistic(Z z) {
  const auto positive = z.re > 0.0;
  const Z s{-abs(z.re), where(positive, -z.im, z.im)};
  const D size = at::native::exp(s.re), half = at::native::cos(s.im * 0.5),
          sine = size * at::native::sin(s.im), one(1.0);
  const Z below{size * (half * half * 2.0) - at::native::expm1(s.re), sine};
  const Z above{where(positive, one, size * at::native::cos(s.im)), where(positive, D(0.0), sine)};
  return divided(above, below);
}
inline Z silu(Z z) { return times(z, logistic(z)); }
// The derivative of silu: s (1 + z (1 - s)).
inline Z silu_slope(Z z) {
  const Z s = logistic(z), t = times(z, {D(1.0) - s.re, -s.im});
  return times(s, {t.re + 1.0, t.im});
}

// --- logarithms ----------------------------------------------------------------------------------

inline Z log(Z z) { return {log_of_square(z.re, z.im) * 0.5, atan2(z.im, z.re)}; }
inline Z log2(Z z) { return scaled(log(z), 1.442695040888963407359924681001892137); }
inline Z log10(Z z) { return scaled(log(z), 0.434294481903251827651128918916605082); }
// |1 + z|^2 - 1 = 2x + x^2 + y^2, which may cancel.
inline Z log1p(Z z) {
  const auto a = exact_product(z.re, z.re), b = exact_product(z.im, z.im);
  const Sum first = exact_sum(z.re + z.re, b.product), second = exact_sum(first.sum, a.product);
  const D more = second.sum + ((first.error + second.error) + (a.error + b.error)),
          sum = z.re + 1.0;
  const auto near_zero = more < -0.5;
  D size = at::native::log1p(more);
  if (any(near_zero)) size = where(near_zero, log_of_square(sum, z.im), size);
  return {size * 0.5, atan2(z.im, sum)};
}
inline Z pow(Z z, Z power) { return exp(times(power, log(z))); }

// --- roots and inverse functions -----------------------------------------------------------------

inline Z sqrt(Z z) {
  const D root = at::native::sqrt((absolute(z) + abs(z.re)) * 0.5),
          other = where(root == 0.0, z.im, z.im / (root + root));
  const auto negative = z.re < 0.0;
  return {where(negative, abs(other), root), where(negative, copysign(root, z.im), other)};
}
inline Z rsqrt(Z z) {
  const D size = absolute(z);
  const Z root = sqrt(z);
  return {root.re / size, (D(0.0) - root.im) / size};
}

// The square roots of 1 - z and 1 + z.
struct Roots {
  Z less, more;
  explicit Roots(Z z) : less(sqrt({D(1.0) - z.re, -z.im})), more(sqrt({z.re + 1.0, z.im})) {}
};
inline Z asin(Z z) {
  const auto [a, b] = Roots(z);
  return {atan2(z.re, a.re * b.re - a.im * b.im), at::native::asinh(a.re * b.im - a.im * b.re)};
}
inline Z acos(Z z) {
  const auto [a, b] = Roots(z);
  return {atan2(a.re, b.re) * 2.0, at::native::asinh(b.re * a.im - b.im * a.re)};
}
inline Z asinh(Z z) { return times_minus_i(asin(times_i(z))); }
inline Z acosh(Z z) {
  const Z a = sqrt({z.re - 1.0, z.im}), b = sqrt({z.re + 1.0, z.im});
  return {at::native::asinh(a.re * b.re + a.im * b.im), atan2(a.im, b.re) * 2.0};
}
inline Z atanh(Z z) {
  const D size = abs(z.re), less = D(1.0) - size, square = z.im * z.im;
  const D growth = at::native::log1p(size * 4.0 / (less * less + square)) * 0.25;
  return {copysign(growth, z.re), atan2(z.im + z.im, less * (size + 1.0) - square) * 0.5};
}
inline Z atan(Z z) { return times_minus_i(atanh(times_i(z))); }

// sin(pi z) / (pi z). The real part is reduced to near 0 before it is multiplied by pi; the
// rounding error of the imaginary part's product matters where sinh grows.
inline Z normalized_sinc(Z z) {
  using Mask = Vec<double>::Mask;
  // The sum has no room for a fraction, and its lowest bit holds the parity of the rounded number.
  const D room = copysign(D(4503599627370496.0), z.re), sum = z.re + room;
  const auto height = exact_product(z.im, D(M_PI));
  const D x = (z.re - (sum - room)) * M_PI, rest = height.error + z.im * 1.2246467991473532e-16;
  const Hyperbolic h = hyperbolic(height.product);
  const D s = at::native::sin(x), c = at::native::cos(x);
  const Z sine{s * (h.cosh + rest * h.sinh), c * (h.sinh + rest * h.cosh)};
  const Z y = divided(sine, scaled(z, M_PI));
  const Mask sign = Mask(sum.v) << 63;
  return {D(D::V(Mask(y.re.v) ^ sign)), D(D::V(Mask(y.im.v) ^ sign))};
}

}  // namespace complex_math
}  // namespace CPU_CAPABILITY
}  // namespace at::native
