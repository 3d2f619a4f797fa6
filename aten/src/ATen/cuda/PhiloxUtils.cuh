#pragma once
// The seed and the offset for curand_init in a kernel, also in one that a graph replays:
//
//   const auto [seed, offset] = at::cuda::philox::unpack(state);

#include <tuple>

#include <ATen/cuda/PhiloxCudaState.h>
#include <cuda_runtime.h>

namespace at::cuda::philox {

__host__ __device__ __forceinline__ std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState state) {
  if (state.replay) return {state.replay[0], state.replay[1] + state.offset};
  return {state.seed, state.offset};
}

}  // namespace at::cuda::philox
