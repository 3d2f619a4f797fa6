#pragma once
// Writes to elements that may repeat, in the order of their sources: what deterministic mode asks
// for where atomic operations would take any order.
//
//   write_in_order<T>(to, n, place, read, join);
//
// Write i joins read(i) to element place(i) of a dense tensor: element = join(element, read(i)).
// There is no write i if place(i) is negative.
//
//   Tensor places = ...;  // the byte offset of each write from `to`; negative: no write
//   write_in_order<T>(to, places, read, join);
//
// Offsets are sorted with their positions; a thread then makes all writes to one element. `place`,
// `read` and `join` are function objects of the device.

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/sort.h>
#include <c10/cuda/Launch.h>
#include <cuda_runtime.h>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {
namespace ordered {

template <typename T, typename Reads, typename Join>
__global__ void __launch_bounds__(kForEachThreads)
    write_runs(int64_t n, char* to, const int64_t* places, const int64_t* order, Reads read,
               Join join) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kForEachThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kForEachThreads + threadIdx.x; i < n;
       i += step) {
    const int64_t place = places[i];
    if (place < 0 || (i > 0 && places[i - 1] == place)) continue;
    T* element = reinterpret_cast<T*>(to + place);
    T now = *element;
    for (int64_t k = i; k < n && places[k] == place; ++k) now = join(now, read(order[k]));
    *element = now;
  }
}

template <typename Place>
struct Offsets {
  Place place;
  int64_t size;  // of an element
  int64_t* to;
  __device__ void operator()(int64_t i) const {
    const int64_t at = place(i);
    to[i] = at < 0 ? -1 : at * size;
  }
};

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
  // A stable order: equal places keep the order of their sources.
  const auto [sorted, order] = at::sort(places, std::optional<bool>(true));
  const auto* sorted_places = static_cast<const int64_t*>(sorted.data_ptr());
  const auto* sources = static_cast<const int64_t*>(order.data_ptr());
  start_for_each(places, n, [&](const c10::cuda::LaunchShape& shape, cudaStream_t stream) {
    c10::cuda::launch(ordered::write_runs<T, Reads, Join>, shape, stream, n, static_cast<char*>(to),
                      sorted_places, sources, read, join);
  });
}

template <typename T, typename Place, typename Reads, typename Join>
void write_in_order(const Tensor& to, int64_t n, const Place& place, const Reads& read,
                    const Join& join) {
  const Tensor places = empty_tensor({n}, kLong, to.device());
  gpu_for_each(places, n,
               ordered::Offsets<Place>{place, static_cast<int64_t>(sizeof(T)),
                                       static_cast<int64_t*>(places.data_ptr())});
  write_in_order<T>(to.data_ptr(), places, read, join);
}

}  // namespace at::native
