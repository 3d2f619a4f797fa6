// native_dropout on CUDA devices: draws, masks and scales in one pass.
//
// Note [Numbers of dropout]
// ~~~~~~~~~~~~~~~~~~~~~~~~~
// The numbers are those of PyTorch: see Note [Which thread draws which number], but for one thing.
// Where the operands may be read in vectors of 4 or 2 elements, the numbers of a draw belong to
// neighbours, and vectors of 2 use a draw twice.

#include <mutex>

#include <ATen/OpMathType.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_dropout_native.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/DeviceGuard.h>
#include <ATen/native/common/cuda/RandomFill.cuh>

namespace at::native {
namespace {

template <typename T, int V>
struct alignas(sizeof(T) * V) Elements {
  T value[V];
};

template <typename T>
struct Dropout {
  const T* from;
  T* to;
  bool* mask;
  int64_t n;
  float keep;  // the probability
  opmath_type<T> scale;

  __device__ T element(T x, bool kept) const {
    using M = opmath_type<T>;
    return static_cast<T>(static_cast<M>(x) * static_cast<M>(kept) * scale);
  }
};

template <typename T>
__global__ void __launch_bounds__(kRandomThreads)
    dropout_kernel(Dropout<T> d, cuda::PhiloxState state) {
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * kRandomThreads + threadIdx.x;
  const int64_t grid = static_cast<int64_t>(gridDim.x) * kRandomThreads;
  Philox philox(state, static_cast<uint64_t>(thread));
  for (int64_t first = thread; first < d.n; first += grid * 4) {
    const auto drawn = uniform_numbers<float>(philox());
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int64_t i = first + k * grid;
      if (i >= d.n) break;
      const bool kept = drawn.value[k] < d.keep;
      d.to[i] = d.element(d.from[i], kept);
      d.mask[i] = kept;
    }
  }
}

template <typename T, int V>
__global__ void __launch_bounds__(kRandomThreads)
    dropout_vectors_kernel(Dropout<T> d, cuda::PhiloxState state) {
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * kRandomThreads + threadIdx.x;
  const int64_t grid = static_cast<int64_t>(gridDim.x) * kRandomThreads;
  Philox philox(state, static_cast<uint64_t>(thread));
  Drawn<float> drawn{};
  int used = 4;
  for (int64_t i = thread * V; i < d.n; i += grid * V) {
    if (used == 4) {
      drawn = uniform_numbers<float>(philox());
      used = 0;
    }
    const auto from = *reinterpret_cast<const Elements<T, V>*>(d.from + i);
    Elements<T, V> to;
    Elements<bool, V> mask;
#pragma unroll
    for (int k = 0; k < V; ++k) {
      mask.value[k] = drawn.value[V == 4 ? k : used + k] < d.keep;
      to.value[k] = d.element(from.value[k], mask.value[k]);
    }
    used += V;
    *reinterpret_cast<Elements<T, V>*>(d.to + i) = to;
    *reinterpret_cast<Elements<bool, V>*>(d.mask + i) = mask;
  }
}

// The number of elements in vectors: 4, 2 or 1.
template <typename T>
int vector_size(const Dropout<T>& d) {
  int v = 4;
  auto fits = [&](const void* address, size_t size) {
    return reinterpret_cast<uintptr_t>(address) % (size * static_cast<size_t>(v)) == 0;
  };
  while (v > 1 &&
         !(d.n % v == 0 && fits(d.from, sizeof(T)) && fits(d.to, sizeof(T)) && fits(d.mask, 1)))
    v /= 2;
  return v;
}

}  // namespace

std::tuple<Tensor, Tensor> native_dropout_cuda(const Tensor& input, double p,
                                               std::optional<bool> train) {
  TORCH_CHECK(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  if (!train.value_or(true) || input.numel() == 0)
    return {at::clone(input), at::ones_like(input, TensorOptions(kBool))};
  if (p == 1) return {at::zeros_like(input), at::zeros_like(input, TensorOptions(kBool))};
  if (input.is_complex()) return native_dropout(input, p, train);
  c10::OptionalDeviceGuard guard(input.device());
  Tensor x = input.is_non_overlapping_and_dense() ? input : at::contiguous(input);
  Tensor result = at::empty_like(x), mask = at::empty_like(x, TensorOptions(kBool));
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "fused_dropout", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    const Dropout<T> d{static_cast<const T*>(x.data_ptr()), static_cast<T*>(result.data_ptr()),
                       static_cast<bool*>(mask.data_ptr()), x.numel(),
                       static_cast<float>(1 - p),           M(1) / static_cast<M>(1 - p)};
    const RandomShape shape = random_shape(x.device(), d.n, 4);
    auto* generator = cuda::cuda_generator_or_default(std::nullopt, x.device());
    std::lock_guard<std::mutex> lock(generator->mutex_);
    const cuda::PhiloxState state = generator->reserve(shape.draws * 4);
    auto run = [&](auto* kernel) {
      c10::cuda::launch(kernel, {shape.blocks, kRandomThreads},
                        c10::cuda::getCurrentCUDAStream(x.device().index()), d, state);
    };
    switch (vector_size(d)) {
      case 4:
        return run(dropout_vectors_kernel<T, 4>);
      case 2:
        return run(dropout_vectors_kernel<T, 2>);
      default:
        return run(dropout_kernel<T>);
    }
  });
  return {result, mask};
}

}  // namespace at::native
