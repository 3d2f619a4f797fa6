#pragma once
// Kernels along one dimension of dense tensors, viewed as [outer, n, inner]: a column of a block's
// threads works on one row of n elements, which are `inner` apart.

#include <ATen/native/common/DenseOperand.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <cuda_runtime.h>

namespace at::native {

constexpr int kRowThreads = 256;

// Threads (x, y): x counts rows, y elements of a row. Both are powers of two.
struct RowLayout {
  dim3 grid, block;
};

inline RowLayout row_layout(Dense3 shape) {
  auto power_of_two = [](int64_t n, int max) {
    int p = 1;
    while (p < n && p < max) p *= 2;
    return p;
  };
  const int64_t rows = shape.outer * shape.inner;
  // Neighbours in memory are neighbours in a warp: along the rows if their elements are apart.
  const int x = shape.inner > 1
                    ? power_of_two(shape.inner, 32)
                    : power_of_two(rows, kRowThreads / power_of_two(shape.n, kRowThreads));
  const int y = power_of_two(shape.n, kRowThreads / x);
  const int64_t needed = (rows + x - 1) / x, blocks = needed < 0x7fffffff ? needed : 0x7fffffff;
  return {dim3(static_cast<unsigned>(blocks)),
          dim3(static_cast<unsigned>(x), static_cast<unsigned>(y))};
}

// f(first, row) for each row of this thread's column: `first` is the position of its first element.
// All threads of a block make the same number of calls; `row` is -1 for those without a row.
template <typename F>
__device__ void for_rows(Dense3 shape, const F& f) {
  const int64_t rows = shape.outer * shape.inner;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t start = static_cast<int64_t>(blockIdx.x) * blockDim.x; start < rows; start += step) {
    const int64_t row = start + threadIdx.x;
    if (row < rows) f(row / shape.inner * shape.n * shape.inner + row % shape.inner, row);
    else f(int64_t(0), int64_t(-1));
  }
}

// Combines the values of a column of threads; all of them get the result. `shared` has room for the
// block. combine(a, b): a is from lower y.
template <typename T, typename F>
__device__ T reduce_column(T value, T* shared, const F& combine) {
  const unsigned at = threadIdx.y * blockDim.x + threadIdx.x;
  shared[at] = value;
  for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) shared[at] = combine(shared[at], shared[at + half * blockDim.x]);
  }
  __syncthreads();
  const T result = shared[threadIdx.x];
  __syncthreads();
  return result;
}

}  // namespace at::native
