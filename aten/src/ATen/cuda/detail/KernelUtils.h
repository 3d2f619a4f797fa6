#pragma once
// A loop of a grid over n elements, for kernels of extensions:
//
//   kernel<<<at::cuda::detail::GET_BLOCKS(n), at::cuda::detail::CUDA_NUM_THREADS, 0, stream>>>(n);
//   __global__ void kernel(int n) { CUDA_KERNEL_LOOP(i, n) { ... } }

#include <algorithm>
#include <limits>

#include <c10/util/Exception.h>

#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                      \
  for (int64_t i##_at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, \
               i##_end = (n);                                                        \
       i##_at < i##_end; i##_at += static_cast<int64_t>(blockDim.x) * gridDim.x)     \
    if (const index_type i = static_cast<index_type>(i##_at); true)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

namespace at::cuda::detail {

constexpr int CUDA_NUM_THREADS = 1024;

inline int GET_BLOCKS(int64_t n, int64_t max_threads_per_block = CUDA_NUM_THREADS) {
  TORCH_CHECK(n > 0, "GET_BLOCKS: expected at least one element, got ", n);
  const int64_t blocks = (n - 1) / max_threads_per_block + 1;
  return static_cast<int>(std::min<int64_t>(blocks, std::numeric_limits<int>::max()));
}

}  // namespace at::cuda::detail
