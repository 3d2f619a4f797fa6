#pragma once
// The mathematical functions of c10::complex: the compiler's own C99 complex functions, which
// std::complex uses too, without including <complex>.

#include <c10/util/complex.h>

#include <cmath>

namespace c10 {
namespace detail {

template <class T>
struct CRepOf;
template <>
struct CRepOf<float> {
  using type = __complex__ float;
};
template <>
struct CRepOf<double> {
  using type = __complex__ double;
};

template <class T>
C10_ALWAYS_INLINE typename CRepOf<T>::type to_c(const complex<T>& z) {
  typename CRepOf<T>::type out;
  __real__ out = z.real_;
  __imag__ out = z.imag_;
  return out;
}
template <class T, class C>
C10_ALWAYS_INLINE complex<T> from_c(C z) {
  return complex<T>(__real__ z, __imag__ z);
}

}  // namespace detail

#define C10_COMPLEX_FUNCTION(name)                                       \
  inline complex<float> name(const complex<float>& z) {                  \
    return detail::from_c<float>(__builtin_c##name##f(detail::to_c(z))); \
  }                                                                      \
  inline complex<double> name(const complex<double>& z) {                \
    return detail::from_c<double>(__builtin_c##name(detail::to_c(z)));   \
  }
C10_COMPLEX_FUNCTION(exp)
C10_COMPLEX_FUNCTION(log)
C10_COMPLEX_FUNCTION(sqrt)
C10_COMPLEX_FUNCTION(sin)
C10_COMPLEX_FUNCTION(cos)
C10_COMPLEX_FUNCTION(tan)
C10_COMPLEX_FUNCTION(sinh)
C10_COMPLEX_FUNCTION(cosh)
C10_COMPLEX_FUNCTION(tanh)
C10_COMPLEX_FUNCTION(asin)
C10_COMPLEX_FUNCTION(acos)
C10_COMPLEX_FUNCTION(atan)
C10_COMPLEX_FUNCTION(asinh)
C10_COMPLEX_FUNCTION(acosh)
C10_COMPLEX_FUNCTION(atanh)
C10_COMPLEX_FUNCTION(proj)
#undef C10_COMPLEX_FUNCTION

template <class T>
T abs(const complex<T>& z) {
  return std::hypot(z.real_, z.imag_);
}
template <class T>
T arg(const complex<T>& z) {
  return std::atan2(z.imag_, z.real_);
}
// The square of the absolute value.
template <class T>
constexpr T norm(const complex<T>& z) {
  return z.real_ * z.real_ + z.imag_ * z.imag_;
}
template <class T>
constexpr complex<T> conj(const complex<T>& z) {
  return complex<T>(z.real_, -z.imag_);
}
template <class T>
constexpr T real(const complex<T>& z) {
  return z.real_;
}
template <class T>
constexpr T imag(const complex<T>& z) {
  return z.imag_;
}
template <class T>
complex<T> polar(T radius, T angle = T(0)) {
  return complex<T>(radius * std::cos(angle), radius * std::sin(angle));
}

inline complex<float> pow(const complex<float>& z, const complex<float>& power) {
  return detail::from_c<float>(__builtin_cpowf(detail::to_c(z), detail::to_c(power)));
}
inline complex<double> pow(const complex<double>& z, const complex<double>& power) {
  return detail::from_c<double>(__builtin_cpow(detail::to_c(z), detail::to_c(power)));
}
template <class T>
complex<T> pow(const complex<T>& z, T power) {
  return pow(z, complex<T>(power));
}
template <class T>
complex<T> pow(T z, const complex<T>& power) {
  return pow(complex<T>(z), power);
}

template <class T>
complex<T> log2(const complex<T>& z) {
  const complex<T> l = log(z);
  const T scale(1.442695040888963407359924681001892137);
  return complex<T>(l.real_ * scale, l.imag_ * scale);
}
template <class T>
complex<T> log10(const complex<T>& z) {
  const complex<T> l = log(z);
  const T scale(0.434294481903251827651128918916605082);
  return complex<T>(l.real_ * scale, l.imag_ * scale);
}
// Exact for small z, where exp(z) - 1 cancels.
template <class T>
complex<T> expm1(const complex<T>& z) {
  const T a = std::sin(z.imag_ / 2);
  const T growth = std::expm1(z.real_);
  return complex<T>(growth * std::cos(z.imag_) - 2 * a * a, std::exp(z.real_) * std::sin(z.imag_));
}
// log(1 + z), with the logarithm of |1 + z| taken without rounding 1 + z first.
template <class T>
complex<T> log1p(const complex<T>& z) {
  const T x = z.real_;
  const T y = z.imag_;
  const bool small = std::fabs(x) < T(0.5) && std::fabs(y) < T(0.5);
  const T magnitude = small ? std::log1p(x * (2 + x) + y * y) / 2 : std::log(std::hypot(1 + x, y));
  return complex<T>(magnitude, std::atan2(y, 1 + x));
}

template <class T>
bool isnan(const complex<T>& z) {
  return std::isnan(z.real_) || std::isnan(z.imag_);
}
template <class T>
bool isinf(const complex<T>& z) {
  return std::isinf(z.real_) || std::isinf(z.imag_);
}
template <class T>
bool isfinite(const complex<T>& z) {
  return std::isfinite(z.real_) && std::isfinite(z.imag_);
}

}  // namespace c10
