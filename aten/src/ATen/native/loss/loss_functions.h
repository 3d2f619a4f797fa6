#pragma once
// Elementwise losses and their derivatives by x: shared by the CPU and CUDA kernels. The
// derivatives are for numbers and for vectors V of them.

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

// As that of vectors, which is found by its arguments.
template <typename T>
C10_HOST_DEVICE T where(bool condition, T yes, T no) {
  return condition ? yes : no;
}

template <typename V, typename T>
C10_HOST_DEVICE V smooth_l1_slope(V x, V t, T beta) {
  const V d = x - t, limit(beta);
  return where(d <= -limit, V(T(-1)), where(d >= limit, V(T(1)), d / limit));
}
template <typename V, typename T>
C10_HOST_DEVICE V huber_slope(V x, V t, T delta) {
  const V d = x - t, limit(delta);
  return where(d < -limit, -limit, where(d > limit, limit, d));
}
template <typename T>
C10_HOST_DEVICE T bce_slope(T x, T t) {
  const T width = (T(1) - x) * x;
  return (x - t) / (width > T(1e-12) ? width : T(1e-12));
}

}  // namespace loss
}  // namespace CPU_CAPABILITY
}  // namespace at::native
