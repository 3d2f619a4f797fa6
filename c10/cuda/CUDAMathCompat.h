#pragma once
// Functions of one element for kernels of extensions: one name for float and double.

#include <cmath>

#include <c10/macros/Macros.h>

namespace c10::cuda::compat {

using std::abs, std::ceil, std::floor, std::trunc, std::round, std::nearbyint, std::rint;
using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, std::atanh;
using std::cbrt, std::sqrt, std::hypot, std::pow, std::erf, std::erfc, std::lgamma, std::tgamma;
using std::cos, std::cosh, std::sin, std::sinh, std::tan, std::tanh;
using std::exp, std::exp2, std::expm1, std::log, std::log10, std::log1p, std::log2;
using std::fmod, std::remainder, std::copysign, std::nextafter;

template <typename T>
C10_HOST_DEVICE inline T max(T x, T y) {
  return std::fmax(x, y);
}
template <typename T>
C10_HOST_DEVICE inline T min(T x, T y) {
  return std::fmin(x, y);
}
template <typename T>
C10_HOST_DEVICE inline T div(T x, T y) {
  return x / y;
}
template <typename T>
C10_HOST_DEVICE inline T rsqrt(T x) {
#if defined(__CUDA_ARCH__)
  return ::rsqrt(x);
#else
  return T(1) / std::sqrt(x);
#endif
}
template <typename T>
C10_HOST_DEVICE inline void sincos(T x, T* sine, T* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}

}  // namespace c10::cuda::compat
