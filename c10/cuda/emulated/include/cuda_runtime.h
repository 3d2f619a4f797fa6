#pragma once
// What kernels see of CUDA, for the emulated device: positions, shared memory, barriers, warps and
// atomics. A kernel is a function; c10/cuda/Launch.h calls it for every thread.

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__ static const
// Blocks run one after the other: one copy serves them all.
#define __shared__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

namespace torch_emulated_cuda {

// The thread of the kernel that runs now.
struct Position {
  uint3 thread, block;
  dim3 block_dim, grid_dim;
};
extern Position position;

void barrier();          // all threads of the block that have not returned
void* dynamic_shared();  // of the block
[[noreturn]] void fail_assertion(const char* condition, const char* file, int line,
                                 const char* function);

// One step of a warp: all lanes of `mask` meet, and each sees the values of all. `all` has 32
// elements.
void exchange(unsigned mask, const void* value, size_t size, void* all);
unsigned active_lanes();
inline unsigned lane() {
  const Position& p = position;
  return (p.thread.x + p.block_dim.x * (p.thread.y + p.block_dim.y * p.thread.z)) % 32;
}

template <typename T>
struct Lanes {
  T value[32];
  Lanes(unsigned mask, T own) { exchange(mask, &own, sizeof(T), value); }
};

// Queues work on a stream. `name` is that of the kernel.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work, const char* name = nullptr);
cudaError_t enqueue_kernel(cudaStream_t stream, dim3 grid, dim3 block, size_t shared,
                           std::function<void()> thread, const char* name);

// Makes device memory accessible for a scope, for code that stands in for a library's kernels.
class Open {
 public:
  Open();
  ~Open();
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
};

}  // namespace torch_emulated_cuda

#define threadIdx (::torch_emulated_cuda::position.thread)
#define blockIdx (::torch_emulated_cuda::position.block)
#define blockDim (::torch_emulated_cuda::position.block_dim)
#define gridDim (::torch_emulated_cuda::position.grid_dim)
constexpr int warpSize = 32;

inline void __syncthreads() { ::torch_emulated_cuda::barrier(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline unsigned __activemask() { return ::torch_emulated_cuda::active_lanes(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { ::torch_emulated_cuda::Lanes<char>(mask, 0); }
inline unsigned __ballot_sync(unsigned mask, int on) {
  ::torch_emulated_cuda::Lanes<bool> all(mask, on != 0);
  unsigned bits = 0;
  for (unsigned k = 0; k < 32; ++k) bits |= (mask >> k & 1 && all.value[k]) ? 1u << k : 0;
  return bits;
}
inline int __any_sync(unsigned mask, int on) { return __ballot_sync(mask, on) != 0; }
inline int __all_sync(unsigned mask, int on) { return __ballot_sync(mask, on) == mask; }
// The lanes that have the same value.
template <typename T>
unsigned __match_any_sync(unsigned mask, T value) {
  ::torch_emulated_cuda::Lanes<T> all(mask, value);
  unsigned bits = 0;
  for (unsigned k = 0; k < 32; ++k) bits |= (mask >> k & 1 && all.value[k] == value) ? 1u << k : 0;
  return bits;
}

// Lanes of a segment of `width`; a lane outside of it, or not in the mask, gives the own value.
template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  ::torch_emulated_cuda::Lanes<T> all(mask, value);
  int lane = static_cast<int>(::torch_emulated_cuda::lane());
  return all.value[lane / width * width + (source % width + width) % width];
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  ::torch_emulated_cuda::Lanes<T> all(mask, value);
  int lane = static_cast<int>(::torch_emulated_cuda::lane());
  int from = lane % width + static_cast<int>(delta);
  return from < width ? all.value[lane + static_cast<int>(delta)] : value;
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  ::torch_emulated_cuda::Lanes<T> all(mask, value);
  int lane = static_cast<int>(::torch_emulated_cuda::lane());
  int from = lane % width - static_cast<int>(delta);
  return from >= 0 ? all.value[lane - static_cast<int>(delta)] : value;
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  ::torch_emulated_cuda::Lanes<T> all(mask, value);
  int lane = static_cast<int>(::torch_emulated_cuda::lane());
  int from = lane % width ^ bits;
  return from < width ? all.value[lane / width * width + from] : value;
}

// One kernel runs at a time, on one host thread: atomics are plain operations.
template <typename T, typename F>
T torch_emulated_atomic(T* at, F f) {
  T old = *at;
  *at = f(old);
  return old;
}
template <typename T>
T atomicAdd(T* at, std::common_type_t<T> value) {
  return torch_emulated_atomic(at, [&](T old) { return static_cast<T>(old + value); });
}
template <typename T>
T atomicExch(T* at, std::common_type_t<T> value) {
  return torch_emulated_atomic(at, [&](T) { return value; });
}
template <typename T>
T atomicMin(T* at, std::common_type_t<T> value) {
  return torch_emulated_atomic(at, [&](T old) { return value < old ? value : old; });
}
template <typename T>
T atomicMax(T* at, std::common_type_t<T> value) {
  return torch_emulated_atomic(at, [&](T old) { return old < value ? value : old; });
}
template <typename T>
T atomicAnd(T* at, std::common_type_t<T> value) {
  return torch_emulated_atomic(at, [&](T old) { return static_cast<T>(old & value); });
}
template <typename T>
T atomicOr(T* at, std::common_type_t<T> value) {
  return torch_emulated_atomic(at, [&](T old) { return static_cast<T>(old | value); });
}
template <typename T>
T atomicCAS(T* at, std::common_type_t<T> expected, std::common_type_t<T> value) {
  return torch_emulated_atomic(at, [&](T old) { return old == expected ? value : old; });
}

template <typename T>
T __ldg(const T* at) {
  return *at;
}
template <typename To, typename From>
To torch_emulated_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
inline unsigned __float_as_uint(float x) { return torch_emulated_bits<unsigned>(x); }
inline int __float_as_int(float x) { return torch_emulated_bits<int>(x); }
inline float __uint_as_float(unsigned x) { return torch_emulated_bits<float>(x); }
inline float __int_as_float(int x) { return torch_emulated_bits<float>(x); }
inline long long __double_as_longlong(double x) { return torch_emulated_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return torch_emulated_bits<double>(x); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline void sincospif(float x, float* s, float* c) {
  *s = static_cast<float>(std::sin(M_PI * x));
  *c = static_cast<float>(std::cos(M_PI * x));
}
