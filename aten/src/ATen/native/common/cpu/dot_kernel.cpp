// Dot products of vectors.

#include <ATen/Parallel.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/RowDots.h>

namespace at::native {
namespace {

template <typename T>
SumType<T> dense_dot(const T* a, const T* b, int64_t n, bool conj) {
  using V = SumType<T>;
  constexpr int64_t grain = 16 * kGrainSize / std::max<int64_t>(4, sizeof(T));
  return parallel_reduce(int64_t(0), n, grain, V(0), [&](int64_t begin, int64_t end, V) {
    const int64_t count = end - begin;
    if constexpr (!c10::is_complex_v<T>) {
      V sum = 0;
      row_dots<1>(a + begin, 0, b + begin, count, &sum);
      return sum;
    } else {
      return complex_dot(a + begin, b + begin, count, conj);
    }
  }, [](V p, V q) { return p + q; });
}

template <typename T>
SumType<T> strided_dot(const T* a, int64_t incx, const T* b, int64_t incy, int64_t n, bool conj) {
  using V = SumType<T>;
  V sum{};
  for (int64_t i = 0; i < n; ++i) {
    V left = static_cast<V>(a[i * incx]);
    if constexpr (c10::is_complex_v<T>) {
      if (conj) left = V(left.real(), -left.imag());
    }
    sum = wrapping_sum(sum, wrapping_product(left, static_cast<V>(b[i * incy])));
  }
  return sum;
}

// Dot products i to i + R.
template <int R, typename T>
void pair_dots(const GemmArgs& first, const GemmBatch& batch, int64_t i) {
  const T* a = static_cast<const T*>(first.a) + i * batch.step_a;
  const T* b = static_cast<const T*>(first.b) + i * batch.step_b;
  T* c = static_cast<T*>(first.c) + i * batch.step_c;
  if constexpr (c10::is_complex_v<T>) {
    for (int r = 0; r < R; ++r)
      c[r * batch.step_c] =
          static_cast<T>(complex_dot(a + r * batch.step_a, b + r * batch.step_b, first.k, false));
  } else {
    SumType<T> sums[R];
    row_dots<R>(a, batch.step_a, b, batch.step_b, first.k, sums);
    for (int r = 0; r < R; ++r) c[r * batch.step_c] = static_cast<T>(sums[r]);
  }
}

}  // namespace

static void batched_dots_kernel(const GemmArgs& first, const GemmBatch& batch) {
  const int64_t grain = std::max<int64_t>(1, 2 * kGrainSize / std::max<int64_t>(1, first.k));
  dispatch_types<FloatingAndReduced, ComplexTypes>(first.dtype, "bmm", [&]<typename T>(TypeTag<T>) {
    parallel_for(0, batch.count, grain, [&](int64_t begin, int64_t end) {
      int64_t i = begin;
      for (; i + 4 <= end; i += 4) pair_dots<4, T>(first, batch, i);
      for (; i < end; ++i) pair_dots<1, T>(first, batch, i);
    });
  });
}

static void dot_kernel(ScalarType dtype, int64_t n, const void* x, int64_t incx, const void* y,
                       int64_t incy, bool conj, void* result) {
  dispatch_types<NumberTypes>(dtype, "dot", [&]<typename T>(TypeTag<T>) {
    const T* a = static_cast<const T*>(x);
    const T* b = static_cast<const T*>(y);
    T& to = *static_cast<T*>(result);
    if constexpr (!std::is_integral_v<T>) {
      if (incx == 1 && incy == 1) {
        to = static_cast<T>(dense_dot(a, b, n, conj));
        return;
      }
    }
    to = static_cast<T>(strided_dot(a, incx, b, incy, n, conj));
  });
}

REGISTER_DISPATCH(batched_dots_stub, &batched_dots_kernel)
REGISTER_DISPATCH(dot_stub, &dot_kernel)

}  // namespace at::native
