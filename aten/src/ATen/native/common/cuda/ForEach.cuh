#pragma once
// Kernels that compute one element of a result at a time: a thread for each number below n.
//
//   template <typename T>
//   struct Double {
//     const T* from;
//     T* to;
//     __device__ void operator()(int64_t i) const { to[i] = from[i] + from[i]; }
//   };
//   gpu_for_each(tensor, n, Double<float>{from, to});  // on the device of the tensor

#include <ATen/core/Tensor.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/common/cuda/FastDivision.cuh>

namespace at::native {

constexpr int kForEachThreads = 128;

template <typename F>
__global__ void __launch_bounds__(kForEachThreads) for_each_kernel(int64_t n, F f) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * kForEachThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kForEachThreads + threadIdx.x; i < n;
       i += threads)
    f(i);
}

// Calls start on the device of the tensor, for n > 0, with blocks of kForEachThreads threads. Very
// many elements get fewer threads than that: kernels loop, as the one above does.
void start_for_each(const Tensor& tensor, int64_t n, c10::cuda::Starter start);

template <typename F>
void gpu_for_each(const Tensor& tensor, int64_t n, const F& f) {
  start_for_each(tensor, n, [&](const c10::cuda::LaunchShape& shape, cudaStream_t stream) {
    c10::cuda::launch(for_each_kernel<F>, shape, stream, n, f);
  });
}

// Divides the numbers of elements by a size: without a division while they have 31 bits.
class IndexDivision {
 public:
  struct Result {
    int64_t quotient, remainder;
  };
  IndexDivision() = default;
  // All numbers that are divided are below `limit`.
  IndexDivision(int64_t size, int64_t limit)
      : size_(size > 0 ? size : 1), is_short_(size_ <= 0x7fffffff && limit <= 0x7fffffff) {
    if (is_short_) fast_ = FastDivision(static_cast<uint32_t>(size_));
  }

  __host__ __device__ int64_t size() const { return size_; }
  __host__ __device__ Result divide(int64_t n) const {
    if (!is_short_) return {n / size_, n % size_};
    const auto result = fast_.divide(static_cast<uint32_t>(n));
    return {result.quotient, result.remainder};
  }

 private:
  int64_t size_ = 1;
  bool is_short_ = false;
  FastDivision fast_;
};

// The coordinates of element i of a dense tensor [..., n0, n1, n2]; `outer` counts what comes
// before.
struct Dense4Index {
  int64_t outer, at[3];
};
class Dense4Division {
 public:
  Dense4Division() = default;
  Dense4Division(const int64_t* sizes, int64_t limit) {
    for (int d = 0; d < 3; ++d) sizes_[d] = IndexDivision(sizes[d], limit);
  }
  __host__ __device__ Dense4Index divide(int64_t i) const {
    Dense4Index index;
    for (int d = 2; d >= 0; --d) {
      const auto [quotient, remainder] = sizes_[d].divide(i);
      index.at[d] = remainder;
      i = quotient;
    }
    index.outer = i;
    return index;
  }

 private:
  IndexDivision sizes_[3];
};

}  // namespace at::native
