// Window functions, computed in double precision.

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/windows/windows.h>

namespace at::native {
namespace {

double window_value(const WindowShape& shape, double i) {
  const double x = i / shape.denominator;
  switch (shape.kind) {
    case WindowKind::bartlett:
      return 1 - std::abs(2 * x - 1);
    case WindowKind::cosines: {
      const double t = 2 * M_PI * x;
      return shape.a[0] - shape.a[1] * std::cos(t) + shape.a[2] * std::cos(2 * t);
    }
    case WindowKind::kaiser: {
      const double y = 2 * x - 1, root = std::sqrt(std::max(0.0, 1 - y * y));
      return std::cyl_bessel_i(0.0, std::abs(shape.a[0]) * root) /
             std::cyl_bessel_i(0.0, std::abs(shape.a[0]));
    }
  }
  return 0;
}

void window_kernel(const Tensor& out, const WindowShape& shape) {
  dispatch_types<FloatingAndReduced>(out.scalar_type(), "window", [&]<typename T>(TypeTag<T>) {
    T* p = static_cast<T*>(out.data_ptr());
    parallel_for(0, out.numel(), kGrainSize / 32, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        p[i] = static_cast<T>(window_value(shape, static_cast<double>(i)));
    });
  });
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(window_stub, &window_kernel)

}  // namespace at::native
