#pragma once
// Exchanges between the lanes of a warp, by the names that extensions use.

#include <cuda_runtime.h>

template <typename T>
__device__ __forceinline__ T WARP_SHFL(T value, int lane, int width = warpSize,
                                       unsigned mask = 0xffffffff) {
  return __shfl_sync(mask, value, lane, width);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL_XOR(T value, int bits, int width = warpSize,
                                           unsigned mask = 0xffffffff) {
  return __shfl_xor_sync(mask, value, bits, width);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL_UP(T value, unsigned delta, int width = warpSize,
                                          unsigned mask = 0xffffffff) {
  return __shfl_up_sync(mask, value, delta, width);
}
template <typename T>
__device__ __forceinline__ T WARP_SHFL_DOWN(T value, unsigned delta, int width = warpSize,
                                            unsigned mask = 0xffffffff) {
  return __shfl_down_sync(mask, value, delta, width);
}
__device__ __forceinline__ unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) {
  return __ballot_sync(mask, predicate);
}
__device__ __forceinline__ unsigned ACTIVE_MASK() { return __activemask(); }
__device__ __forceinline__ void WARP_SYNC(unsigned mask = 0xffffffff) { __syncwarp(mask); }
