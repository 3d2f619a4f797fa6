// Window functions, computed in double precision.

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/windows/window_value.h>

namespace at::native {
namespace {

constexpr int64_t kBlock = 64;

// f(first, block) computes kBlock points, of which those from `begin` to `end` are stored. Blocks
// are the same ones for any number of threads.
template <typename T, typename F>
void fill_blocks(int64_t begin, int64_t end, T* points, const F& f) {
  for (int64_t first = begin / kBlock * kBlock; first < end; first += kBlock) {
    T block[kBlock];
    f(static_cast<double>(first), block);
    const int64_t skip = std::max<int64_t>(begin - first, 0);
    std::copy_n(block + skip, std::min(kBlock, end - first) - skip, points + first + skip);
  }
}

// The cosine of a sum of two angles, one of a block of points and one within the block, is made of
// theirs: a block takes two calls of libm.
template <typename T>
void fill_cosines(const WindowShape& shape, int64_t begin, int64_t end, T* points) {
  const double step = 2 * M_PI / shape.denominator;
  double cosine[kBlock], sine[kBlock];
  for (int32_t j = 0; j < kBlock; ++j) {
    cosine[j] = std::cos(j * step);
    sine[j] = std::sin(j * step);
  }
  // a[2] cos(2 t) is a[2] (2 cos(t)^2 - 1).
  const double constant = shape.a[0] - shape.a[2], linear = shape.a[1], square = 2 * shape.a[2];
  fill_blocks(begin, end, points, [&](double first, T* block) {
    const double t = 2 * M_PI * (first / shape.denominator), c = std::cos(t), s = std::sin(t);
    for (int32_t j = 0; j < kBlock; ++j) {
      const double x = c * cosine[j] - s * sine[j];
      block[j] = static_cast<T>(constant + x * (square * x - linear));
    }
  });
}

template <typename T>
void fill_triangle(const WindowShape& shape, int64_t begin, int64_t end, T* points) {
  fill_blocks(begin, end, points, [&](double first, T* block) {
    for (int32_t j = 0; j < kBlock; ++j)
      block[j] = static_cast<T>(1 - std::fabs(2 * ((first + j) / shape.denominator) - 1));
  });
}

// From so many points on, blocks pay.
constexpr int64_t kManyPoints = 512;

void window_kernel(const Tensor& out, const WindowShape& shape) {
  const bool in_blocks = shape.kind != WindowKind::kaiser && out.numel() >= kManyPoints;
  dispatch_types<FloatingAndReduced>(out.scalar_type(), "window", [&]<typename T>(TypeTag<T>) {
    T* p = static_cast<T*>(out.data_ptr());
    parallel_for(0, out.numel(), in_blocks ? kGrainSize / 4 : kGrainSize / 32,
                 [&](int64_t begin, int64_t end) {
      if (in_blocks && shape.kind == WindowKind::cosines) return fill_cosines(shape, begin, end, p);
      if (in_blocks) return fill_triangle(shape, begin, end, p);
      for (int64_t i = begin; i < end; ++i)
        p[i] = static_cast<T>(window_value(shape, static_cast<double>(i)));
    });
  });
}

}  // namespace

REGISTER_ALL_CPU_DISPATCH(window_stub, &window_kernel)

}  // namespace at::native
