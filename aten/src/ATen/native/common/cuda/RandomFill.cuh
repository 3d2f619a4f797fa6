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

#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypeDispatch.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/common/cuda/Loops.cuh>
#include <ATen/native/common/cuda/Philox.cuh>

namespace at::native {

constexpr int kRandomThreads = 256;

struct RandomShape {
  unsigned blocks;
  uint64_t draws;  // by each thread
};
RandomShape random_shape(const c10::Device& device, int64_t n, int numbers_per_draw);

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

// Calls start for each piece of self.
using StartRandomFill =
    c10::function_ref<void(const c10::cuda::LaunchShape& shape, cudaStream_t stream, int64_t n,
                           const cuda::PhiloxState& state, const loops::Strided<1>& to)>;
void start_random_fill(const Tensor& self, const std::optional<Generator>& generator,
                       int numbers_per_draw, StartRandomFill start);

// The result of f is converted to T, the type of the elements.
template <typename T, typename Number, typename Draw, typename F>
void random_fill(const Tensor& self, const std::optional<Generator>& generator, const F& f) {
  start_random_fill(self, generator, Drawn<Number>::size,
                    [&](const c10::cuda::LaunchShape& shape, cudaStream_t stream, int64_t n,
                        const cuda::PhiloxState& state, const loops::Strided<1>& to) {
    c10::cuda::launch(random_fill_kernel<Number, Draw, T, F>, shape, stream, n, state, f, to);
  });
}

}  // namespace at::native
