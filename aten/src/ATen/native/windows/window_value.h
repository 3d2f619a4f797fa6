#pragma once
// A point of a window function, for the CPU and CUDA kernels.

#include <cmath>

#include <ATen/native/special_bessel/bessel_functions.h>
#include <ATen/native/windows/windows.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

C10_HOST_DEVICE inline double window_value(const WindowShape& shape, double i) {
  const double x = i / shape.denominator;
  switch (shape.kind) {
    case WindowKind::bartlett:
      return 1 - std::fabs(2 * x - 1);
    case WindowKind::cosines: {
      const double t = 2 * M_PI * x;
      return shape.a[0] - shape.a[1] * std::cos(t) + shape.a[2] * std::cos(2 * t);
    }
    default: {
      const double y = 2 * x - 1, rest = 1 - y * y;
      return bessel_i0(shape.a[0] * std::sqrt(rest > 0 ? rest : 0.0)) / bessel_i0(shape.a[0]);
    }
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
