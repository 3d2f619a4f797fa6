// The host's part of random_fill: grids, and the generator's offsets.

#include <algorithm>
#include <mutex>

#include <c10/core/DeviceGuard.h>
#include <ATen/native/common/cuda/RandomFill.cuh>

namespace at::native {

RandomShape random_shape(const c10::Device& device, int64_t n, int numbers_per_draw) {
  const cudaDeviceProp& p = c10::cuda::device_properties(device.index());
  const int64_t resident = static_cast<int64_t>(p.multiProcessorCount) *
                           (p.maxThreadsPerMultiProcessor / kRandomThreads);
  const int64_t blocks = std::min(resident, (n + kRandomThreads - 1) / kRandomThreads);
  const int64_t round = blocks * kRandomThreads * numbers_per_draw;
  return {static_cast<unsigned>(blocks), static_cast<uint64_t>((n - 1) / round + 1)};
}

void start_random_fill(const Tensor& self, const std::optional<Generator>& generator,
                       int numbers_per_draw, StartRandomFill start) {
  if (self.numel() == 0) return;
  c10::OptionalDeviceGuard guard(self.device());
  auto* gen = cuda::cuda_generator_or_default(generator, self.device());
  auto iter = TensorIteratorConfig("random").add_output(self).resize_outputs(false).build();
  iter.for_each_32bit_piece([&](TensorIteratorBase& piece) {
    const int64_t n = piece.numel();
    const RandomShape shape = random_shape(self.device(), n, numbers_per_draw);
    const auto to = loops::strided_of<1>(piece);
    std::lock_guard<std::mutex> lock(gen->mutex_);
    const cuda::PhiloxState state = gen->reserve(shape.draws * 4);
    start({shape.blocks, kRandomThreads}, c10::cuda::getCurrentCUDAStream(self.device().index()), n,
          state, to);
  });
}

}  // namespace at::native
