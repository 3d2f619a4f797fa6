#pragma once
// Sorts rows of elements.
//
// Note [Sorting on CUDA]
// ~~~~~~~~~~~~~~~~~~~~~~
// Blocks sort tiles of 1,024 elements in shared memory with a bitonic network (K. Batcher, "Sorting
// networks and their applications", 1968); a tile holds many short rows. The tiles of a longer row
// are then merged two by two: where a block's part of a merged pair begins in either of the two is
// found by bisection (O. Green, R. McColl and D. Bader, "GPU merge path: a GPU merging algorithm",
// 2012), so that all blocks do equal work.
//
// Rows are a struct with
//   Element                  in shared memory; last() of it stands after the end of a row
//   load(row, i)             the element at i, unsorted
//   store(row, i, element)   the sorted ones of a row that is no longer than a tile
//   less(a, b)               no two elements are equal

#include <algorithm>

#include <ATen/native/common/StructuredOutputs.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <cuda_runtime.h>

namespace at::native::merge_sort {

constexpr int kThreads = 256, kTile = 1024, kItems = kTile / kThreads;

// Sorts the segments of a tile. Their length is a power of two.
template <typename Rows, typename E>
__device__ void sort_segments(const Rows& rows, E* tile, int length) {
  for (int size = 2; size <= length; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (int pair = static_cast<int>(threadIdx.x); pair < kTile / 2; pair += kThreads) {
        const int low = 2 * pair - (pair & (stride - 1)), high = low + stride;
        // Runs go up and down in turn, until there is one.
        const bool up = (low & (length - 1) & size) == 0;
        const E a = tile[low], b = tile[high];
        if (rows.less(b, a) == up) {
          tile[low] = b;
          tile[high] = a;
        }
      }
    }
  }
  __syncthreads();
}

// Segments of `length` elements, `per_row` of them in a row of n; to: [rows, n], or null to store
// through `rows`. is_apart: neighbours in memory are in different rows.
template <typename Rows, typename E = typename Rows::Element>
__global__ void __launch_bounds__(kThreads)
    sort_tiles(Rows rows, int64_t num_rows, int64_t n, int length, bool is_apart, E* to) {
  alignas(16) __shared__ char memory[kTile * sizeof(E)];
  E* tile = reinterpret_cast<E*>(memory);
  const int segments = kTile / length;
  const int64_t per_row = (n + length - 1) / length, total = num_rows * per_row;
  const int64_t step = static_cast<int64_t>(gridDim.x) * segments;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * segments; first < total; first += step) {
    auto each = [&](const auto& f) {
      for (int p = static_cast<int>(threadIdx.x); p < kTile; p += kThreads) {
        const int segment = is_apart ? p & (segments - 1) : p / length;
        const int k = is_apart ? p / segments : p & (length - 1);
        const int64_t s = first + segment, i = s % per_row * length + k;
        f(tile[segment * length + k], s < total && i < n, s / per_row, i);
      }
    };
    each([&](E& e, bool has, int64_t row, int64_t i) { e = has ? rows.load(row, i) : E::last(); });
    sort_segments(rows, tile, length);
    each([&](const E& e, bool has, int64_t row, int64_t i) {
      if (!has) return;
      if (to != nullptr) to[row * n + i] = e;
      else rows.store(row, i, e);
    });
    __syncthreads();
  }
}

// How many of the first `count` elements of the merged a and b come from a.
template <typename Rows, typename E>
__device__ int64_t taken_from_first(const Rows& rows, const E* a, int64_t a_size, const E* b,
                                    int64_t b_size, int64_t count) {
  int64_t low = count > b_size ? count - b_size : 0, high = count < a_size ? count : a_size;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (rows.less(b[count - 1 - middle], a[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Merges pairs of sorted runs of `width` elements, a multiple of a tile. A block makes one tile.
template <typename Rows, typename E = typename Rows::Element>
__global__ void __launch_bounds__(kThreads)
    merge_runs(Rows rows, int64_t num_rows, int64_t n, int64_t width, const E* from, E* to) {
  alignas(16) __shared__ char memory[kTile * sizeof(E)];
  __shared__ int64_t edge[2];
  E* tile = reinterpret_cast<E*>(memory);
  const int64_t per_row = (n + kTile - 1) / kTile, total = num_rows * per_row;
  for (int64_t t = blockIdx.x; t < total; t += gridDim.x) {
    const int64_t start = t % per_row * kTile, first = start / (2 * width) * (2 * width);
    const int64_t a_size = first + width < n ? width : n - first;
    const int64_t b_size = first + 2 * width < n ? width : n - first - a_size;
    const E *a = from + t / per_row * n + first, *b = a + a_size;
    const int64_t begin = start - first;
    const int64_t end = begin + kTile < a_size + b_size ? begin + kTile : a_size + b_size;
    if (threadIdx.x < 2)
      edge[threadIdx.x] =
          taken_from_first(rows, a, a_size, b, b_size, threadIdx.x == 0 ? begin : end);
    __syncthreads();
    const int64_t a_begin = edge[0], b_begin = begin - a_begin;
    const int count = static_cast<int>(end - begin), a_count = static_cast<int>(edge[1] - a_begin);
    for (int k = static_cast<int>(threadIdx.x); k < count; k += kThreads)
      tile[k] = k < a_count ? a[a_begin + k] : b[b_begin + k - a_count];
    __syncthreads();
    const int mine = static_cast<int>(threadIdx.x) * kItems;
    if (mine < count) {
      const int b_count = count - a_count;
      const E* second = tile + a_count;
      int i = static_cast<int>(taken_from_first(rows, tile, a_count, second, b_count, mine));
      int j = mine - i;
      E* out = to + t / per_row * n + start;
      for (int k = mine; k < mine + kItems && k < count; ++k) {
        const bool takes_a = j >= b_count || (i < a_count && !rows.less(second[j], tile[i]));
        out[k] = takes_a ? tile[i++] : second[j++];
      }
    }
    __syncthreads();
  }
}

inline unsigned grid_of(int64_t blocks) {
  return static_cast<unsigned>(std::min<int64_t>(blocks, 0x7fffffff));
}

// Sorts rows of n elements on the current stream. The result is in the memory returned, [rows, n];
// it is undefined if the rows are no longer than a tile and `through_rows`: these store themselves.
template <typename Rows>
Tensor sort_rows(const Rows& rows, int64_t num_rows, int64_t n, bool is_apart, bool through_rows,
                 c10::Device device) {
  using E = typename Rows::Element;
  auto stream = c10::cuda::getCurrentCUDAStream(device.index());
  auto make = [&] {
    return empty_tensor({num_rows * n * static_cast<int64_t>(sizeof(E))}, kByte, device);
  };
  int length = 1;
  while (length < n && length < kTile) length *= 2;
  Tensor from = through_rows && n <= kTile ? Tensor() : make(), to;
  E* tiles = from.defined() ? static_cast<E*>(from.data_ptr()) : nullptr;
  const int64_t segments = num_rows * ((n + length - 1) / length), each = kTile / length;
  c10::cuda::launch(sort_tiles<Rows, E>, {grid_of((segments + each - 1) / each), kThreads}, stream,
                    rows, num_rows, n, length, is_apart, tiles);
  for (int64_t width = kTile; width < n; width *= 2) {
    if (!to.defined()) to = make();
    c10::cuda::launch(merge_runs<Rows, E>, {grid_of(segments), kThreads}, stream, rows, num_rows, n,
                      width, static_cast<const E*>(from.data_ptr()),
                      static_cast<E*>(to.data_ptr()));
    std::swap(from, to);
  }
  return from;
}

}  // namespace at::native::merge_sort
