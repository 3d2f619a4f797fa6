// roll and flip on CUDA devices: a thread moves one word of a row.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/flip/flip.h>
#include <c10/cuda/CUDAGuard.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

// Words of [outer, size, row]: out[o, k] = in[o, (start + step * k) mod size], for steps of 1 and
// -1.
template <typename T>
__global__ void __launch_bounds__(kLoopThreads)
    reorder_kernel(int64_t n, int64_t size, int64_t row, int64_t start, int step, T* out,
                   const T* in) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * kLoopThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x; i < n;
       i += threads) {
    const int64_t line = i / row, k = line % size;
    int64_t from = start + step * k;
    if (from >= size) from -= size;
    out[i] = in[(line - k + from) * row + i % row];
  }
}

void reorder(const Tensor& out, const Tensor& in, int64_t size, int64_t row_bytes, int64_t start,
             int step) {
  if (in.numel() == 0) return;
  c10::OptionalDeviceGuard guard(in.device());
  const int64_t bytes = in.numel() * static_cast<int64_t>(in.itemsize());
  const auto addresses =
      reinterpret_cast<uintptr_t>(out.data_ptr()) | reinterpret_cast<uintptr_t>(in.data_ptr());
  size_t word = 16;
  while ((static_cast<uintptr_t>(row_bytes) | addresses) % word != 0) word /= 2;
  gpu_dispatch_bits(word, [&]<typename T>(TypeTag<T>) {
    const int64_t n = bytes / static_cast<int64_t>(sizeof(T));
    const int64_t blocks = std::min<int64_t>((n + kLoopThreads - 1) / kLoopThreads, 0x7fffffff);
    c10::cuda::launch(reorder_kernel<T>, {static_cast<unsigned>(blocks), kLoopThreads},
                      c10::cuda::getCurrentCUDAStream(), n, size,
                      row_bytes / static_cast<int64_t>(sizeof(T)), start, step,
                      static_cast<T*>(out.data_ptr()), static_cast<const T*>(in.data_ptr()));
  });
}

}  // namespace

static void roll_rows_cuda(const Tensor& out, const Tensor& in, int64_t size, int64_t row,
                           int64_t shift) {
  reorder(out, in, size, row, (size - shift) % size, 1);
}

static void reverse_rows_cuda(const Tensor& out, const Tensor& in, int64_t size, int64_t row) {
  reorder(out, in, size, row, size - 1, -1);
}

REGISTER_CUDA_DISPATCH(roll_rows_stub, &roll_rows_cuda)
REGISTER_CUDA_DISPATCH(reverse_rows_stub, &reverse_rows_cuda)

}  // namespace at::native
