#pragma once
// Where the random numbers of a call begin, as tensors that libraries and later calls read.

#include <ATen/cuda/CUDAGeneratorImpl.h>

namespace at::native::attention {

// Writes seed and offset to the device, on the current stream. In a graph they are those of each
// replay.
void write_philox_place(const cuda::PhiloxState& state, int64_t* seed, int64_t* offset);

}  // namespace at::native::attention
