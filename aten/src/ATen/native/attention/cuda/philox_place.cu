// One thread writes seed and offset.

#include <ATen/native/attention/cuda/philox_place.h>
#include <c10/cuda/Launch.h>
#include <ATen/cuda/PhiloxUtils.cuh>

namespace at::native::attention {
namespace {

__global__ void write_place(cuda::PhiloxState state, int64_t* seed, int64_t* offset) {
  const auto [s, o] = cuda::philox::unpack(state);
  *seed = static_cast<int64_t>(s);
  *offset = static_cast<int64_t>(o);
}

}  // namespace

void write_philox_place(const cuda::PhiloxState& state, int64_t* seed, int64_t* offset) {
  c10::cuda::launch(write_place, {1, 1}, c10::cuda::getCurrentCUDAStream(), state, seed, offset);
}

}  // namespace at::native::attention
