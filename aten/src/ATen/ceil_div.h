#pragma once
// Integers divided and rounded up, on the host and the device: how many blocks cover n elements.

#include <c10/macros/Macros.h>

namespace at {

template <typename T>
C10_HOST_DEVICE inline T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
// The next multiple of b.
template <typename T>
C10_HOST_DEVICE inline T round_up(T a, T b) {
  return ceil_div(a, b) * b;
}

}  // namespace at
