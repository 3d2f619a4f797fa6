// Traces and triangles of matrices on CUDA devices.

#include <algorithm>

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/diagonal/diagonal.h>
#include <ATen/ops/trace_native.h>
#include <ATen/native/common/cuda/ForEach.cuh>
#include <ATen/native/common/cuda/Loops.cuh>
#include <ATen/native/common/cuda/Rows.cuh>

namespace at::native {
namespace {

template <typename T>
struct KeepTriangle {
  IndexDivision rows, columns;
  int64_t diagonal;
  bool lower;
  T* data;
  __device__ void operator()(int64_t i) const {
    const auto [line, column] = columns.divide(i);
    const int64_t edge = rows.divide(line).remainder + diagonal;
    if (lower ? column > edge : column < edge) data[i] = T{};
  }
};

// One block adds up the n elements of a diagonal.
template <typename T, typename Out, typename M>
__global__ void __launch_bounds__(kRowThreads)
    trace_kernel(int64_t n, int64_t step, const T* from, Out* to) {
  alignas(16) __shared__ char memory[kRowThreads * sizeof(M)];
  M sum(0);
  for (int64_t k = threadIdx.y; k < n; k += blockDim.y) sum += static_cast<M>(from[k * step]);
  sum = reduce_column(sum, reinterpret_cast<M*>(memory), [](M a, M b) { return a + b; });
  if (threadIdx.y == 0) *to = static_cast<Out>(sum);
}

}  // namespace

static void keep_triangle_cuda(const Tensor& matrices, int64_t diagonal, bool lower) {
  const int64_t n = matrices.numel(), rows = matrices.size(-2), columns = matrices.size(-1);
  diagonal = std::clamp<int64_t>(diagonal, -rows - 1, columns + 1);
  gpu_dispatch_bits(matrices.itemsize(), [&]<typename T>(TypeTag<T>) {
    gpu_for_each(matrices, n,
                 KeepTriangle<T>{IndexDivision(rows, n), IndexDivision(columns, n), diagonal, lower,
                                 static_cast<T*>(matrices.data_ptr())});
  });
}

static void trace_cuda(const Tensor& self, const Tensor& result) {
  c10::OptionalDeviceGuard guard(self.device());
  const int64_t n = std::min(self.sizes()[0], self.sizes()[1]),
                step = self.strides()[0] + self.strides()[1];
  dispatch_types<NumberTypes>(self.scalar_type(), "trace", [&]<typename T>(TypeTag<T>) {
    constexpr bool kIsWhole = std::is_integral_v<T>;
    using Out = std::conditional_t<kIsWhole, int64_t, T>;
    using M = std::conditional_t<kIsWhole, int64_t,
                                 std::conditional_t<c10::is_complex<T>::value, T, double>>;
    c10::cuda::launch(trace_kernel<T, Out, M>, {dim3(1), dim3(1, kRowThreads)},
                      c10::cuda::getCurrentCUDAStream(), n, step,
                      static_cast<const T*>(self.data_ptr()), static_cast<Out*>(result.data_ptr()));
  });
}

REGISTER_CUDA_DISPATCH(keep_triangle_stub, &keep_triangle_cuda)
REGISTER_CUDA_DISPATCH(trace_stub, &trace_cuda)

}  // namespace at::native
