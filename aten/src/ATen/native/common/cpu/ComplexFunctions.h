#pragma once
// Functions of complex numbers that C lacks, without overflow in intermediate results.

#include <cmath>

#include <c10/util/complex_math.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// 1 / (1 + e^-z). 1 + e^z is 0 at odd multiples of i pi: its real part is
// 1 - e^x + e^x (1 + cos y), which does not cancel for x <= 0.
template <typename T>
c10::complex<T> complex_logistic(c10::complex<T> z) {
  using C = c10::complex<T>;
  const bool positive = z.real() > 0;
  const C s = positive ? -z : z;
  const T size = std::exp(s.real()), half = std::cos(s.imag() / 2), sine = std::sin(s.imag());
  const C below(2 * size * half * half - std::expm1(s.real()), size * sine);
  return positive ? C(1) / below : C(size * std::cos(s.imag()), size * sine) / below;
}

// z / (1 + e^-z); where that is z e^z, it is computed in two factors, so that no digits are lost
// unnecessarily.
template <typename T>
c10::complex<T> complex_silu(c10::complex<T> z) {
  using C = c10::complex<T>;
  if (!(z.real() < T(sizeof(T) == 4 ? -80 : -700))) return z * complex_logistic(z);
  const T root = std::exp(z.real() / 2);
  return C(z.real() * root, z.imag() * root) *
         C(root * std::cos(z.imag()), root * std::sin(z.imag()));
}

// 2^z: the angle is the imaginary part times log 2, computed with more digits than a double
// has.
inline c10::complex<double> complex_exp2(c10::complex<double> z) {
  constexpr double kLog2 = 0.69314718055994530942, kLog2Rest = 2.3190468138462996e-17;
  const double size = std::exp2(z.real()), angle = z.imag() * kLog2;
  if (z.imag() == 0) return {size, z.imag()};
  const double rest = std::fma(z.imag(), kLog2, -angle) + z.imag() * kLog2Rest;
  const double s = std::sin(angle), c = std::cos(angle);
  // The remainder is below one unit in the last place of the angle, so its square is negligible.
  return {size * (c - s * std::sin(rest)), size * (s + c * std::sin(rest))};
}
inline c10::complex<float> complex_exp2(c10::complex<float> z) {
  auto wide = complex_exp2(c10::complex<double>(z.real(), z.imag()));
  return {static_cast<float>(wide.real()), static_cast<float>(wide.imag())};
}

// sin(pi z) / (pi z). The real part is reduced to near 0 before it is multiplied by pi.
inline c10::complex<double> complex_sinc(c10::complex<double> z) {
  using C = c10::complex<double>;
  if (z == C(0)) return C(1);
  const double rounded = std::nearbyint(z.real());
  const C w((z.real() - rounded) * M_PI, z.imag() * M_PI);
  // The rounding error of the product matters where sinh grows.
  const double rest = std::fma(z.imag(), M_PI, -w.imag()) + z.imag() * 1.2246467991473532e-16;
  C s = c10::sin(w);
  if (std::fabs(w.imag()) > 1) s = s + C(0, rest) * c10::cos(w);
  s = s / (z * C(M_PI));
  return std::fmod(rounded, 2) != 0 ? -s : s;
}
inline c10::complex<float> complex_sinc(c10::complex<float> z) {
  auto wide = complex_sinc(c10::complex<double>(z.real(), z.imag()));
  return {static_cast<float>(wide.real()), static_cast<float>(wide.imag())};
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
