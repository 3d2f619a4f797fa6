#pragma once
// Fills tensors with random numbers:
//
//   random_fill<float, DrawUniform>(self, generator, f);   // f(number) makes an element
//
// Note [Which thread draws which number]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// It decides the numbers, and is PyTorch's: threads of 256 to a block, as many blocks as the device
// holds at a time, each thread with a Philox sequence of its own. A draw's numbers belong to
// elements that are a grid apart. So the numbers depend on the device's count of multiprocessors.

#include <mutex>

#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/common/cuda/Loops.cuh>
#include <ATen/native/common/cuda/Philox.cuh>

namespace at::native {

constexpr int kRandomThreads = 256;

struct RandomShape {
  unsigned blocks;
  uint64_t draws;  // by each thread
};

inline RandomShape random_shape(const c10::Device& device, int64_t n, int numbers_per_draw) {
  const cudaDeviceProp& p = c10::cuda::device_properties(device.index());
  const int64_t resident = static_cast<int64_t>(p.multiProcessorCount) *
                           (p.maxThreadsPerMultiProcessor / kRandomThreads);
  const int64_t blocks = std::min(resident, (n + kRandomThreads - 1) / kRandomThreads);
  const int64_t round = blocks * kRandomThreads * numbers_per_draw;
  return {static_cast<unsigned>(blocks), static_cast<uint64_t>((n - 1) / round + 1)};
}

template <typename Number, typename Draw, typename T, typename F>
__global__ void __launch_bounds__(kRandomThreads)
    random_fill_kernel(int64_t n, cuda::PhiloxState state, F f, loops::Strided<1> to) {
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * kRandomThreads + threadIdx.x;
  const int64_t grid = static_cast<int64_t>(gridDim.x) * kRandomThreads;
  Philox philox(state, static_cast<uint64_t>(thread));
  for (int64_t first = thread; first < n; first += grid * Drawn<Number>::size) {
    const auto drawn = Draw::template draw<Number>(philox);
#pragma unroll
    for (int k = 0; k < Drawn<Number>::size; ++k) {
      const int64_t i = first + k * grid;
      if (i >= n) break;
      char* address[1] = {to.at.data[0]};
      loops::advance(to, static_cast<uint32_t>(i), address);
      *reinterpret_cast<T*>(address[0]) = static_cast<T>(f(drawn.value[k]));
    }
  }
}

// The result of f is converted to T, the type of the elements.
template <typename T, typename Number, typename Draw, typename F>
void random_fill(const Tensor& self, const std::optional<Generator>& generator, const F& f) {
  if (self.numel() == 0) return;
  c10::OptionalDeviceGuard guard(self.device());
  auto* gen = cuda::cuda_generator_or_default(generator, self.device());
  auto iter = TensorIteratorConfig("random").add_output(self).resize_outputs(false).build();
  iter.for_each_32bit_piece([&](TensorIteratorBase& piece) {
    const int64_t n = piece.numel();
    const RandomShape shape = random_shape(self.device(), n, Drawn<Number>::size);
    const auto to = loops::strided_of<1>(piece);
    std::lock_guard<std::mutex> lock(gen->mutex_);
    const cuda::PhiloxState state = gen->reserve(shape.draws * 4);
    c10::cuda::launch(random_fill_kernel<Number, Draw, T, F>, {shape.blocks, kRandomThreads},
                      c10::cuda::getCurrentCUDAStream(self.device().index()), n, state, f, to);
  });
}

}  // namespace at::native
