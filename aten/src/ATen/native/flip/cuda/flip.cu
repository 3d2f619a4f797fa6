// roll and flip on CUDA devices: a thread moves one word of a row.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/flip/flip.h>
#include <c10/cuda/CUDAGuard.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

// Where the word at a place comes from when row k of [outer, size, row] comes from start + step *
// k, modulo size; steps are 1 or -1.
struct Reordered {
  int64_t size, row, start;
  int step;

  __host__ __device__ int64_t distance(int64_t i) const {
    const int64_t k = i / row % size;
    int64_t from = start + step * k;
    if (from >= size) from -= size;
    return (from - k) * row;
  }
};

struct Reorder {
  int num_dims = 0;
  Reordered dims[kMaxRolledDims];
};

template <typename T>
__global__ void __launch_bounds__(kLoopThreads)
    reorder_kernel(int64_t n, Reorder order, T* out, const T* in) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * kLoopThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kLoopThreads + threadIdx.x; i < n;
       i += threads) {
    int64_t from = i;
    for (int d = 0; d < order.num_dims; ++d) from += order.dims[d].distance(i);
    out[i] = in[from];
  }
}

// Rows are in bytes.
void reorder(const Tensor& out, const Tensor& in, Reorder order) {
  if (in.numel() == 0) return;
  c10::OptionalDeviceGuard guard(in.device());
  const int64_t bytes = in.numel() * static_cast<int64_t>(in.itemsize());
  auto bits =
      reinterpret_cast<uintptr_t>(out.data_ptr()) | reinterpret_cast<uintptr_t>(in.data_ptr());
  for (int d = 0; d < order.num_dims; ++d) bits |= static_cast<uintptr_t>(order.dims[d].row);
  size_t word = 16;
  while (bits % word != 0) word /= 2;
  for (int d = 0; d < order.num_dims; ++d) order.dims[d].row /= static_cast<int64_t>(word);
  gpu_dispatch_bits(word, [&]<typename T>(TypeTag<T>) {
    const int64_t n = bytes / static_cast<int64_t>(sizeof(T));
    const int64_t blocks = std::min<int64_t>((n + kLoopThreads - 1) / kLoopThreads, 0x7fffffff);
    c10::cuda::launch(reorder_kernel<T>, {static_cast<unsigned>(blocks), kLoopThreads},
                      c10::cuda::getCurrentCUDAStream(), n, order, static_cast<T*>(out.data_ptr()),
                      static_cast<const T*>(in.data_ptr()));
  });
}

}  // namespace

static void roll_dims_cuda(const Tensor& out, const Tensor& in, ArrayRef<RolledDim> dims) {
  Reorder order;
  for (const RolledDim& d : dims) {
    order.dims[order.num_dims++] = {d.size, d.row, (d.size - d.shift) % d.size, 1};
  }
  reorder(out, in, order);
}

static void reverse_rows_cuda(const Tensor& out, const Tensor& in, int64_t size, int64_t row) {
  Reorder order;
  order.dims[order.num_dims++] = {size, row, size - 1, -1};
  reorder(out, in, order);
}

REGISTER_CUDA_DISPATCH(roll_dims_stub, &roll_dims_cuda)
REGISTER_CUDA_DISPATCH(reverse_rows_stub, &reverse_rows_cuda)

}  // namespace at::native
