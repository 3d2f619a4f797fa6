#pragma once
// Sums in cells: bincount and histograms.
//
//   Tensor sums = sum_in_cells(cell, n, cells, weights, device);
//
// cell(i) is the cell of element i, or -1. The sums are long if there are no weights, else double;
// deterministic mode adds doubles in the order of the elements.

#include <ATen/native/common/StructuredOutputs.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <cuda_runtime.h>
#include <ATen/native/common/cuda/OrderedWrites.cuh>

namespace at::native {

namespace cells {

constexpr int kThreads = 256;
// Up to this many, blocks sum in shared memory first.
constexpr int64_t kMaxShared = 4096;

struct Weights {
  const void* data = nullptr;  // none: each element counts 1
  bool is_double = false;
  __device__ double operator()(int64_t i) const {
    return is_double ? static_cast<const double*>(data)[i]
                     : static_cast<double>(static_cast<const float*>(data)[i]);
  }
};

using Count = unsigned long long;

// sums: counts, or the bits of doubles. 0 is the same in both.
template <typename Cell>
__global__ void __launch_bounds__(kThreads)
    sum_kernel(Cell cell, int64_t n, int64_t cells, Weights weights, Count* sums) {
  Count* own = c10::cuda::dynamic_shared<Count>();
  const bool is_shared = cells <= kMaxShared;
  auto add = [&](Count* to, int64_t at, Count count, double weight) {
    if (weights.data == nullptr) atomicAdd(&to[at], count);
    else atomicAdd(reinterpret_cast<double*>(to) + at, weight);
  };
  if (is_shared) {
    for (int64_t k = threadIdx.x; k < cells; k += kThreads) own[k] = 0;
    __syncthreads();
  }
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step) {
    const int64_t at = cell(i);
    if (at >= 0) add(is_shared ? own : sums, at, 1, weights.data == nullptr ? 0.0 : weights(i));
  }
  if (!is_shared) return;
  __syncthreads();
  for (int64_t k = threadIdx.x; k < cells; k += kThreads)
    if (own[k] != 0) add(sums, k, own[k], reinterpret_cast<const double*>(own)[k]);
}

}  // namespace cells

// weights: dense floats or doubles, or undefined.
template <typename Cell>
Tensor sum_in_cells(const Cell& cell, int64_t n, int64_t cells, const Tensor& weights,
                    c10::Device device) {
  auto stream = c10::cuda::getCurrentCUDAStream(device.index());
  Tensor sums = empty_tensor({cells}, weights.defined() ? kDouble : kLong, device);
  if (cells == 0) return sums;
  C10_CUDA_CHECK(cudaMemsetAsync(sums.data_ptr(), 0, sums.nbytes(), stream));
  if (n == 0) return sums;
  cells::Weights w;
  if (weights.defined()) w = {weights.data_ptr(), weights.scalar_type() == kDouble};
  if (weights.defined() && globalContext().deterministicAlgorithms()) {
    write_in_order<double>(sums, n, cell, w, ordered::AddTo<double>());
    return sums;
  }
  const int64_t resident =
      8 * static_cast<int64_t>(c10::cuda::device_properties(device.index()).multiProcessorCount);
  const int64_t needed = (n + cells::kThreads - 1) / cells::kThreads;
  const int64_t blocks = needed < resident ? needed : resident;
  const size_t shared =
      cells <= cells::kMaxShared ? static_cast<size_t>(cells) * sizeof(cells::Count) : 0;
  c10::cuda::launch(cells::sum_kernel<Cell>,
                    {static_cast<unsigned>(blocks), cells::kThreads, shared}, stream, cell, n,
                    cells, w, static_cast<cells::Count*>(sums.data_ptr()));
  return sums;
}

}  // namespace at::native
