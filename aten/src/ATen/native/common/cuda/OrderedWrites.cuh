#pragma once
// Writes to elements that may repeat, in the order of their sources: what deterministic mode asks
// for where atomic operations would take any order.
//
//   Tensor places = ...;  // the byte offset of each write from `to`; negative: no write
//   write_in_order<T>(to, places, read, join);
//
// Write i joins read(i) to the element at places[i]: element = join(element, read(i)).
//
// Offsets are sorted with their positions; a thread then makes all writes to one element. `read`
// and `join` are function objects of the device.

#include <algorithm>

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/sort.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <cuda_runtime.h>

namespace at::native {
namespace ordered {

constexpr int kThreads = 256;

template <typename T, typename Reads, typename Join>
__global__ void __launch_bounds__(kThreads)
    write_runs(int64_t n, char* to, const int64_t* places, const int64_t* order, Reads read,
               Join join) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step) {
    const int64_t place = places[i];
    if (place < 0 || (i > 0 && places[i - 1] == place)) continue;
    T* element = reinterpret_cast<T*>(to + place);
    T now = *element;
    for (int64_t k = i; k < n && places[k] == place; ++k) now = join(now, read(order[k]));
    *element = now;
  }
}

template <typename T>
struct Dense {
  const T* values;
  __device__ T operator()(int64_t i) const { return values[i]; }
};
// The last one counts.
template <typename T>
struct Replace {
  __device__ T operator()(T, T value) const { return value; }
};
template <typename T>
struct AddTo {
  __device__ T operator()(T old, T value) const {
    if constexpr (std::is_same_v<T, bool>) return old || value;
    else return static_cast<T>(old + value);
  }
};

}  // namespace ordered

// places: long, dense, with one dimension.
template <typename T, typename Reads, typename Join>
void write_in_order(void* to, const Tensor& places, const Reads& read, const Join& join) {
  const int64_t n = places.numel();
  if (n == 0) return;
  c10::OptionalDeviceGuard guard(places.device());
  // A stable order: equal places keep the order of their sources.
  const auto [sorted, order] = at::sort(places, std::optional<bool>(true));
  const int64_t blocks =
      std::min<int64_t>((n + ordered::kThreads - 1) / ordered::kThreads, 0x7fffffff);
  c10::cuda::launch(ordered::write_runs<T, Reads, Join>,
                    {static_cast<unsigned>(blocks), ordered::kThreads},
                    c10::cuda::getCurrentCUDAStream(), n, static_cast<char*>(to),
                    static_cast<const int64_t*>(sorted.data_ptr()),
                    static_cast<const int64_t*>(order.data_ptr()), read, join);
}

}  // namespace at::native
