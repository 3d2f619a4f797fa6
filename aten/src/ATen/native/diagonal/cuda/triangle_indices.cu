// The indices of a triangle's elements, on CUDA devices.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/diagonal/diagonal.h>
#include <c10/cuda/CUDAGuard.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

// The sum of max(0, min(v, limit)) over v < u.
__device__ int64_t clamped_sum(int64_t u, int64_t limit) {
  if (u <= 0) return 0;
  return u - 1 <= limit ? u * (u - 1) / 2 : limit * (limit + 1) / 2 + (u - 1 - limit) * limit;
}
// The elements of the rows before this one.
__device__ int64_t elements_before(const TriangleRows& t, int64_t row) {
  const int64_t shift = t.offset + (t.lower ? 1 : 0);
  const int64_t below =
      clamped_sum(row + shift, t.num_columns) - clamped_sum(t.first_row + shift, t.num_columns);
  return t.lower ? below : (row - t.first_row) * t.num_columns - below;
}

template <typename T>
__global__ void __launch_bounds__(kLoopThreads)
    triangle_indices(T* rows, T* columns, int64_t n, TriangleRows triangle) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kLoopThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x; i < n;
       i += step) {
    // The last row that begins at i or before.
    int64_t low = triangle.first_row, high = triangle.last_row;
    while (high - low > 1) {
      const int64_t middle = (low + high) / 2;
      if (elements_before(triangle, middle) <= i) low = middle;
      else high = middle;
    }
    const int64_t edge = low + triangle.offset;
    const int64_t first = triangle.lower || edge < 0 ? 0 : edge;
    rows[i] = static_cast<T>(low);
    columns[i] = static_cast<T>(first + i - elements_before(triangle, low));
  }
}

}  // namespace

static void triangle_indices_cuda(const Tensor& result, const TriangleRows& triangle) {
  const int64_t n = result.numel() / 2;
  if (n == 0) return;
  c10::OptionalDeviceGuard guard(result.device());
  const int64_t blocks = std::min<int64_t>((n + kLoopThreads - 1) / kLoopThreads, 0x7fffffff);
  dispatch_types<TypeList<int32_t, int64_t>>(result.scalar_type(), "triangle_indices",
                                             [&]<typename T>(TypeTag<T>) {
    T* rows = static_cast<T*>(result.data_ptr());
    c10::cuda::launch(triangle_indices<T>, {static_cast<unsigned>(blocks), kLoopThreads},
                      c10::cuda::getCurrentCUDAStream(), rows, rows + n, n, triangle);
  });
}

REGISTER_CUDA_DISPATCH(triangle_indices_stub, &triangle_indices_cuda)

}  // namespace at::native
