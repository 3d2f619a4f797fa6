#pragma once
// Atomic changes of elements of any type, for kernels of extensions. They return the value before;
// the NoReturn forms may be faster.

#include <algorithm>

#include <ATen/native/common/cuda/Atomics.cuh>

// f(value before) becomes the value.
template <typename T, typename F>
__device__ T gpuAtomicUpdate(T* address, const F& f) {
  T before;
  at::native::atomic_update(address, [&](T old) {
    before = old;
    return static_cast<T>(f(old));
  });
  return before;
}

template <typename T>
__device__ T gpuAtomicAdd(T* address, T value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int> ||
                std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long>) {
    return atomicAdd(address, value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    return static_cast<T>(atomicAdd(reinterpret_cast<unsigned long long*>(address),
                                    static_cast<unsigned long long>(value)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return gpuAtomicUpdate(address, [=](bool old) { return old || value; });
  } else {
    return gpuAtomicUpdate(address, [=](T old) { return old + value; });
  }
}
template <typename T>
__device__ void gpuAtomicAddNoReturn(T* address, T value) {
  at::native::atomic_add(address, value);
}
template <typename T>
__device__ T gpuAtomicMul(T* address, T value) {
  return gpuAtomicUpdate(address, [=](T old) { return old * value; });
}
// NaN wins.
template <typename T>
__device__ T gpuAtomicMax(T* address, T value) {
  return gpuAtomicUpdate(address, [=](T old) { return old != old || old > value ? old : value; });
}
template <typename T>
__device__ T gpuAtomicMin(T* address, T value) {
  return gpuAtomicUpdate(address, [=](T old) { return old != old || old < value ? old : value; });
}
