#pragma once
// Elementwise losses and their derivatives by x, of one element: shared by the CPU and CUDA
// kernels.

#include <cmath>

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace loss {

template <typename T>
C10_HOST_DEVICE T mse(T x, T t) {
  return (x - t) * (x - t);
}
template <typename T>
C10_HOST_DEVICE T smooth_l1(T x, T t, T beta) {
  const T d = std::abs(x - t);
  return d < beta ? T(0.5) * d * d / beta : d - beta / 2;
}
template <typename T>
C10_HOST_DEVICE T huber(T x, T t, T delta) {
  const T d = std::abs(x - t);
  return d <= delta ? T(0.5) * d * d : delta * (d - delta / 2);
}

template <typename T>
C10_HOST_DEVICE T smooth_l1_slope(T x, T t, T beta) {
  const T d = x - t;
  return d <= -beta ? T(-1) : d >= beta ? T(1) : d / beta;
}
template <typename T>
C10_HOST_DEVICE T huber_slope(T x, T t, T delta) {
  const T d = x - t;
  return d < -delta ? -delta : d > delta ? delta : d;
}
template <typename T>
C10_HOST_DEVICE T bce_slope(T x, T t) {
  const T width = (T(1) - x) * x;
  return (x - t) / (width > T(1e-12) ? width : T(1e-12));
}

}  // namespace loss
}  // namespace CPU_CAPABILITY
}  // namespace at::native
