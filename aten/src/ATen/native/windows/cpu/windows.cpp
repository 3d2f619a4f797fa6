// Window functions, computed in double precision.

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/windows/window_value.h>

namespace at::native {
namespace {

// The points of a cosine window from `begin` to `end`: the cosine of a sum of two angles, one of a
// block of points and one within the block, is made of theirs. A block takes two calls of libm.
template <typename T>
void cosine_points(const WindowShape& shape, int64_t begin, int64_t end, T* points) {
  constexpr int64_t kBlock = 64;
  const double step = 2 * M_PI / shape.denominator;
  double cosine[kBlock], sine[kBlock];
  for (int64_t j = 0; j < kBlock; ++j) {
    cosine[j] = std::cos(static_cast<double>(j) * step);
    sine[j] = std::sin(static_cast<double>(j) * step);
  }
  // a[2] cos(2 t) is a[2] (2 cos(t)^2 - 1).
  const double constant = shape.a[0] - shape.a[2], linear = shape.a[1], square = 2 * shape.a[2];
  // Blocks are the same ones for any number of threads.
  for (int64_t first = begin / kBlock * kBlock; first < end; first += kBlock) {
    const double t = 2 * M_PI * (static_cast<double>(first) / shape.denominator);
    const double c = std::cos(t), s = std::sin(t);
    T block[kBlock];
    for (int64_t j = 0; j < kBlock; ++j) {
      const double x = c * cosine[j] - s * sine[j];
      block[j] = static_cast<T>(constant + x * (square * x - linear));
    }
    const int64_t skip = std::max<int64_t>(begin - first, 0);
    std::copy_n(block + skip, std::min(kBlock, end - first) - skip, points + first + skip);
  }
}

// From so many points on, the angles within a block pay.
constexpr int64_t kManyPoints = 512;

void window_kernel(const Tensor& out, const WindowShape& shape) {
  const bool in_blocks = shape.kind == WindowKind::cosines && out.numel() >= kManyPoints;
  dispatch_types<FloatingAndReduced>(out.scalar_type(), "window", [&]<typename T>(TypeTag<T>) {
    T* p = static_cast<T*>(out.data_ptr());
    parallel_for(0, out.numel(), in_blocks ? kGrainSize / 4 : kGrainSize / 32,
                 [&](int64_t begin, int64_t end) {
      if (in_blocks) return cosine_points(shape, begin, end, p);
      for (int64_t i = begin; i < end; ++i)
        p[i] = static_cast<T>(window_value(shape, static_cast<double>(i)));
    });
  });
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(window_stub, &window_kernel)

}  // namespace at::native
