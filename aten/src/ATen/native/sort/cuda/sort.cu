// sort, topk, kthvalue, medians and modes on CUDA devices: Note [Which sort on CUDA] and Note
// [Selection on CUDA]. Of equal elements the first ones of a row come first, or are chosen.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/sort/sort.h>
#include <ATen/native/sort/cuda/results.cuh>
#include <ATen/native/sort/cuda/select.cuh>
#include <ATen/native/sort/cuda/sort_rows.cuh>

namespace at::native {
namespace {

using selection::Rank;
using selection::Selected;

constexpr int kThreads = 256;

// The first `to.m` of the sorted elements of each row.
template <typename E>
__global__ void __launch_bounds__(kThreads)
    store_sorted(OrderedRows rows, OrderResults to, SortedElements<E> sorted) {
  const int64_t total = rows.shape.outer * rows.shape.inner * to.m;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; at < total;
       at += step) {
    const int64_t row = at / to.m, i = at % to.m;
    to.store(rows, row, i, sorted.index(row, i));
  }
}

// The number of the first of a row's first n elements whose key is not below `key`.
template <typename E>
__device__ int64_t first_of_key(const SortedElements<E>& sorted, int64_t row, int64_t n,
                                uint64_t key) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (sorted.key(row, middle) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

// One element of each sorted row. nan_key: 0 if there is no NaN.
template <typename E>
__global__ void __launch_bounds__(kThreads)
    store_ranked(OrderedRows rows, OrderResults to, Rank rank, int64_t given, uint64_t nan_key,
                 SortedElements<E> sorted) {
  const int64_t n = rows.shape.n, num_rows = rows.shape.outer * rows.shape.inner;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; row < num_rows;
       row += step) {
    int64_t at = given;
    if (rank != Rank::given)
      at = median_rank(rank, n, nan_key == 0 ? 0 : n - first_of_key(sorted, row, n, nan_key));
    to.store(rows, row, 0, sorted.index(row, at));
  }
}

// The last index of the value that each sorted row has most often; of several the smallest value.
template <typename E>
__global__ void __launch_bounds__(kThreads)
    store_modes(OrderedRows rows, OrderResults to, SortedElements<E> sorted) {
  __shared__ int64_t counts[kThreads], ends[kThreads];
  const int64_t n = rows.shape.n, num_rows = rows.shape.outer * rows.shape.inner;
  const unsigned t = threadIdx.x;
  for (int64_t row = blockIdx.x; row < num_rows; row += gridDim.x) {
    int64_t best = 0, end = 0;
    for (int64_t i = t; i < n; i += kThreads) {
      const uint64_t key = sorted.key(row, i);
      if (i + 1 < n && sorted.key(row, i + 1) == key) continue;
      // The end of a run. One that is longer than the best so far has the same key where that ends.
      if (i < best || sorted.key(row, i - best) != key) continue;
      best = i + 1 - first_of_key(sorted, row, i + 1, key);
      end = i;
    }
    counts[t] = best;
    ends[t] = end;
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (t < half && (counts[t + half] > counts[t] ||
                       (counts[t + half] == counts[t] && ends[t + half] < ends[t]))) {
        counts[t] = counts[t + half];
        ends[t] = ends[t + half];
      }
    }
    if (t == 0) to.store(rows, row, 0, sorted.index(row, ends[0]));
    __syncthreads();
  }
}

// Below this length, rows are sorted wherever elements are selected.
constexpr int64_t kSelectFrom = 4096;

Rank rank_of(OrderKind kind) {
  return kind == OrderKind::median      ? Rank::median
         : kind == OrderKind::nanmedian ? Rank::nanmedian
                                        : Rank::given;
}

template <typename E>
void order_rows(const OrderRequest& r, const OrderedRows& rows, const OrderResults& to,
                c10::Device device) {
  auto stream = c10::cuda::getCurrentCUDAStream(device.index());
  const ScalarType type = rows.type;
  const int64_t n = rows.shape.n, num_rows = rows.shape.outer * rows.shape.inner;
  auto sort_and_store = [&](const E* collected, int64_t length) {
    const auto sorted = sort_rows(RowsToSort<E>{rows, to, collected, length}, true, false, device);
    if (sorted.memory.defined())
      c10::cuda::launch(
          store_sorted<E>,
          {merge_sort::grid_of((num_rows * to.m + kThreads - 1) / kThreads), kThreads}, stream,
          rows, to, sorted.elements);
  };
  const bool sorts = r.kind == OrderKind::sort;
  if (sorts || (r.kind == OrderKind::topk && (n < kSelectFrom || r.k > n / 8)))
    return sort_and_store(nullptr, n);
  if (r.kind == OrderKind::topk) {
    Tensor state = selection::select(rows, Rank::given, r.k - 1, device);
    Tensor memory = empty_tensor({num_rows * r.k * static_cast<int64_t>(sizeof(E))}, kByte, device);
    auto* collected = static_cast<E*>(memory.data_ptr());
    c10::cuda::launch(selection::collect<E>, {selection::grid(num_rows, n), kThreads}, stream, rows,
                      num_rows, r.k, static_cast<Selected*>(state.data_ptr()), collected);
    return sort_and_store(collected, r.k);
  }
  const int64_t given = r.kind == OrderKind::kth ? r.k - 1 : 0;
  if (r.kind != OrderKind::mode && n >= kSelectFrom) {
    Tensor state = selection::select(rows, rank_of(r.kind), given, device);
    return c10::cuda::launch(selection::store_selected, {selection::grid(num_rows), kThreads},
                             stream, rows, to, num_rows,
                             static_cast<const Selected*>(state.data_ptr()));
  }
  const auto sorted = sort_rows(RowsToSort<E>{rows, to, nullptr, n}, false, true, device);
  if (r.kind == OrderKind::mode)
    return c10::cuda::launch(store_modes<E>, {merge_sort::grid_of(num_rows), kThreads}, stream,
                             rows, to, sorted.elements);
  c10::cuda::launch(store_ranked<E>, {selection::grid(num_rows), kThreads}, stream, rows, to,
                    rank_of(r.kind), given, nan_key_of(type), sorted.elements);
}

}  // namespace

static void order_cuda(OrderRequest request, const Tensor& in, const Tensor& values,
                       const Tensor& indices, int64_t dim) {
  c10::OptionalDeviceGuard guard(in.device());
  const ScalarType type = in.scalar_type();
  dispatch_types<OrderedTypes>(type, "sort_cuda", [](auto) {});
  const int key_bytes = key_bytes_of(type);
  const uint64_t flip = request.descending ? ~uint64_t(0) >> (64 - 8 * key_bytes) : 0;
  const OrderedRows rows{{in.data_ptr(), type, flip}, dense_shape(in, dim), type};
  const int64_t n = rows.shape.n;
  const int64_t m = request.kind == OrderKind::sort   ? n
                    : request.kind == OrderKind::topk ? request.k
                                                      : 1;
  const OrderResults to{in.data_ptr(), values.data_ptr(), static_cast<int64_t*>(indices.data_ptr()),
                        m, static_cast<int>(in.itemsize())};
  if (key_bytes <= 4 && n < int64_t(0xffffffff))
    order_rows<NarrowElement>(request, rows, to, in.device());
  else order_rows<WideElement>(request, rows, to, in.device());
}

REGISTER_CUDA_DISPATCH(order_stub, &order_cuda)

}  // namespace at::native
