#pragma once
// Starts a kernel on a stream.
//
//   __global__ void scale(float* x, int64_t n, float by) { ... }
//   c10::cuda::launch(scale, {blocks, threads}, stream, x, n, by);
//
// Kernels are started by this function alone: the emulated device compiles the same sources with a
// compiler that knows no <<<>>>.

#include <tuple>
#include <type_traits>

#include <c10/cuda/CUDAStream.h>
#include <c10/util/FunctionRef.h>
#include <cuda_runtime.h>

#ifdef TORCH_CUDA_EMULATED
// Device-side assertions: the kernel ends, and the next call reports it.
#define C10_DEVICE_ASSERT(condition) \
  ((condition) ? void()              \
               : ::torch_emulated_cuda::fail_assertion(#condition, __FILE__, __LINE__, __func__))
#else
// In every kind of build: NDEBUG turns assert() off.
extern "C" __host__ __device__ void __assert_fail(const char* condition, const char* file,
                                                  unsigned line, const char* function) noexcept
    __attribute__((noreturn));
#define C10_DEVICE_ASSERT(condition) \
  ((condition) ? void()              \
               : __assert_fail(#condition, __FILE__, static_cast<unsigned>(__LINE__), __func__))
#endif

namespace c10::cuda {

struct LaunchShape {
  dim3 grid, block;
  size_t shared = 0;  // bytes of shared memory beyond what the kernel declares
};

// Starts a kernel with its arguments. Host code that takes one of these is compiled once, not for
// each kernel.
using Starter = c10::function_ref<void(const LaunchShape& shape, cudaStream_t stream)>;

// Called before each launch, with the address of the kernel; null if it does not listen.
using LaunchObserver = void (*)(const void* kernel, const LaunchShape& shape);
enum class LaunchListener { profiler, trace };
C10_API void set_launch_observer(LaunchListener listener, LaunchObserver observer);
C10_API extern bool g_launches_are_observed;
C10_API C10_COLD void tell_of_launch(const void* kernel, const LaunchShape& shape);
inline void note_launch(const void* kernel, const LaunchShape& shape) {
  if (C10_UNLIKELY(g_launches_are_observed)) tell_of_launch(kernel, shape);
}

// The shared memory of the block beyond what the kernel declares.
template <typename T>
__device__ __forceinline__ T* dynamic_shared() {
#ifdef TORCH_CUDA_EMULATED
  return static_cast<T*>(torch_emulated_cuda::dynamic_shared());
#else
  extern __shared__ __align__(128) char c10_dynamic_shared[];
  return reinterpret_cast<T*>(c10_dynamic_shared);
#endif
}

#ifndef TORCH_CUDA_EMULATED
// Starts a kernel with the arguments at these addresses. Each library has a copy of this function,
// because it links a CUDA runtime of its own, which knows the library's kernels only.
[[gnu::visibility("hidden"), gnu::noinline]] inline void launch_with(const void* kernel,
                                                                     const LaunchShape& shape,
                                                                     cudaStream_t stream,
                                                                     void** arguments) {
  note_launch(kernel, shape);
  // Of more than this, CUDA wants to be told.
  if (shape.shared > 48 * 1024)
    C10_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(shape.shared)));
  C10_CUDA_CHECK(
      cudaLaunchKernel(kernel, shape.grid, shape.block, arguments, shape.shared, stream));
}
#endif

template <typename... P>
void launch(void (*kernel)(P...), const LaunchShape& shape, cudaStream_t stream,
            const std::decay_t<P>&... arguments) {
#ifdef TORCH_CUDA_EMULATED
  note_launch(reinterpret_cast<const void*>(kernel), shape);
  C10_CUDA_CHECK(torch_emulated_cuda::enqueue_kernel(
      stream, shape.grid, shape.block, shape.shared,
      [kernel, values = std::tuple<std::decay_t<P>...>(arguments...)] {
    std::apply(kernel, values);
  }, nullptr));
#else
  void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
  launch_with(reinterpret_cast<const void*>(kernel), shape, stream, addresses);
#endif
}

}  // namespace c10::cuda
