#pragma once
// Sums of numbers that are given by their logarithms: shared by the CPU and CUDA kernels.

#include <cmath>
#include <limits>

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The logarithm of 0.
template <typename T>
constexpr T kNever = -std::numeric_limits<T>::infinity();

template <typename T>
C10_HOST_DEVICE T log_add(T a, T b) {
  const T top = a > b ? a : b;
  return top == kNever<T> ? top : std::log(std::exp(a - top) + std::exp(b - top)) + top;
}
template <typename T>
C10_HOST_DEVICE T log_add(T a, T b, T c) {
  const T larger = b > c ? b : c, top = a > larger ? a : larger;
  return top == kNever<T>
             ? top
             : std::log(std::exp(a - top) + std::exp(b - top) + std::exp(c - top)) + top;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
