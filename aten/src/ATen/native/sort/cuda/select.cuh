#pragma once
// Finds the element of a rank in each of several long rows.
//
// Note [Selection on CUDA]
// ~~~~~~~~~~~~~~~~~~~~~~~~
// Eight bits of the key at a time, from the top: all blocks count the elements that agree with the
// bits found so far by their next eight bits, then the digit is the one whose counts contain the
// rank. The bits of the index follow those of the key, so that equal elements are told apart: the
// first ones of a row come first.

#include <ATen/native/common/StructuredOutputs.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/sort/cuda/merge_sort.cuh>
#include <ATen/native/sort/cuda/results.cuh>

namespace at::native::selection {

constexpr int kThreads = 256, kDigits = 256, kItems = 16;

// What is known of a row's element.
struct Selected {
  uint64_t key, index;
  int64_t rank;  // among the elements that agree so far
  int64_t num_nans;
  unsigned long long num_collected;
};

enum class Rank : uint8_t { given, median, nanmedian };

// Which element of a sorted row of n numbers, of which the last ones are NaN.
__device__ inline int64_t median_rank(Rank rank, int64_t n, int64_t num_nans) {
  const int64_t numbers = n - num_nans;
  // The median of elements with a NaN is the first NaN; nanmedian's too if all are NaN.
  if (num_nans > 0 && (rank == Rank::median || numbers == 0)) return numbers;
  return (numbers - 1) / 2;
}

// f(row, i) for the elements of the block's part of each row; block(row) afterwards, by all
// threads.
template <typename F, typename G>
__device__ void for_elements(int64_t num_rows, int64_t n, const F& f, const G& block) {
  for (int64_t row = blockIdx.y; row < num_rows; row += gridDim.y) {
    const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step)
      f(row, i);
    block(row);
  }
}

static __global__ void __launch_bounds__(kThreads)
    count_nans(OrderedRows rows, int64_t num_rows, uint64_t nan_key, Selected* selected) {
  __shared__ unsigned long long count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for_elements(num_rows, rows.shape.n, [&](int64_t row, int64_t i) {
    if (rows.key(row, i) == nan_key) atomicAdd(&count, 1ull);
  }, [&](int64_t row) {
    __syncthreads();
    if (threadIdx.x == 0) {
      if (count > 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(&selected[row].num_nans), count);
      count = 0;
    }
    __syncthreads();
  });
}

static __global__ void __launch_bounds__(kThreads)
    set_ranks(int64_t num_rows, int64_t n, Rank rank, int64_t given, Selected* selected) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; row < num_rows;
       row += step) {
    Selected& s = selected[row];
    s.rank = rank == Rank::given ? given : median_rank(rank, n, s.num_nans);
  }
}

// Eight bits of the key, or of the index.
struct Digit {
  bool of_index;
  int shift;

  // The digit of an element, or -1 if it is not among those left.
  __device__ int of(const Selected& s, uint64_t key, int64_t i) const {
    const auto index = static_cast<uint64_t>(i);
    if (of_index && key != s.key) return -1;
    const uint64_t number = of_index ? index : key, known = of_index ? s.index : s.key;
    if (shift < 56 && (number ^ known) >> (shift + 8) != 0) return -1;
    return static_cast<int>(number >> shift & 255);
  }
};

// counts: [rows, digits], zero before.
static __global__ void __launch_bounds__(kThreads)
    count_digits(OrderedRows rows, int64_t num_rows, Digit digit, const Selected* selected,
                 unsigned long long* counts) {
  __shared__ unsigned own[kDigits];
  own[threadIdx.x] = 0;
  __syncthreads();
  for_elements(num_rows, rows.shape.n, [&](int64_t row, int64_t i) {
    const int d = digit.of(selected[row], rows.key(row, i), i);
    if (d >= 0) atomicAdd(&own[d], 1u);
  }, [&](int64_t row) {
    __syncthreads();
    const unsigned count = own[threadIdx.x];
    if (count > 0) atomicAdd(&counts[row * kDigits + threadIdx.x], count);
    own[threadIdx.x] = 0;
    __syncthreads();
  });
}

static __global__ void __launch_bounds__(kThreads)
    choose_digits(int64_t num_rows, Digit digit, Selected* selected, unsigned long long* counts) {
  __shared__ int64_t sums[2][kThreads];
  const unsigned t = threadIdx.x;
  for (int64_t row = blockIdx.x; row < num_rows; row += gridDim.x) {
    const auto count = static_cast<int64_t>(counts[row * kDigits + t]);
    counts[row * kDigits + t] = 0;
    const int64_t rank = selected[row].rank;
    int from = 0;
    sums[0][t] = count;
    for (unsigned reach = 1; reach < kThreads; reach *= 2) {
      __syncthreads();
      sums[1 - from][t] = sums[from][t] + (t >= reach ? sums[from][t - reach] : 0);
      from = 1 - from;
    }
    const int64_t before = sums[from][t] - count;
    __syncthreads();  // all threads have read the rank and the sums
    if (before <= rank && rank < before + count) {
      Selected& s = selected[row];
      (digit.of_index ? s.index : s.key) |= static_cast<uint64_t>(t) << digit.shift;
      s.rank = rank - before;
    }
    __syncthreads();
  }
}

static __global__ void __launch_bounds__(kThreads)
    store_selected(OrderedRows rows, OrderResults to, int64_t num_rows, const Selected* selected) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; row < num_rows;
       row += step)
    to.store(rows, row, 0, static_cast<int64_t>(selected[row].index));
}

// The elements up to the selected one, in no order: [rows, k].
template <typename E>
__global__ void __launch_bounds__(kThreads)
    collect(OrderedRows rows, int64_t num_rows, int64_t k, Selected* selected, E* to) {
  for_elements(num_rows, rows.shape.n, [&](int64_t row, int64_t i) {
    Selected& s = selected[row];
    const uint64_t key = rows.key(row, i);
    if (key > s.key || (key == s.key && static_cast<uint64_t>(i) > s.index)) return;
    to[row * k + static_cast<int64_t>(atomicAdd(&s.num_collected, 1ull))] = E::make(key, i);
  }, [](int64_t) {});
}

inline int bytes_of(uint64_t max) {
  int bytes = 1;
  while (bytes < 8 && max >> (8 * bytes) != 0) ++bytes;
  return bytes;
}

// Blocks (x: parts of a row, y: rows).
inline dim3 grid(int64_t num_rows, int64_t n) {
  constexpr int64_t kPart = kThreads * kItems;
  return dim3(static_cast<unsigned>(std::min<int64_t>((n + kPart - 1) / kPart, 4096)),
              static_cast<unsigned>(std::min<int64_t>(num_rows, 65535)));
}
inline unsigned grid(int64_t num_rows) {
  return static_cast<unsigned>(std::min<int64_t>((num_rows + kThreads - 1) / kThreads, 65535));
}

// The selected element of each row: memory of that many `Selected`.
inline Tensor select(const OrderedRows& rows, Rank rank, int64_t given, c10::Device device) {
  const int64_t num_rows = rows.shape.outer * rows.shape.inner, n = rows.shape.n;
  auto stream = c10::cuda::getCurrentCUDAStream(device.index());
  auto zeros = [&](int64_t bytes) {
    Tensor t = empty_tensor({bytes}, kByte, device);
    C10_CUDA_CHECK(cudaMemsetAsync(t.data_ptr(), 0, static_cast<size_t>(bytes), stream));
    return t;
  };
  Tensor state = zeros(num_rows * static_cast<int64_t>(sizeof(Selected)));
  Tensor memory = zeros(num_rows * kDigits * static_cast<int64_t>(sizeof(unsigned long long)));
  auto* selected = static_cast<Selected*>(state.data_ptr());
  auto* counts = static_cast<unsigned long long*>(memory.data_ptr());
  const uint64_t nan_key = nan_key_of(rows.type);
  if (rank != Rank::given && nan_key != 0)
    c10::cuda::launch(count_nans, {grid(num_rows, n), kThreads}, stream, rows, num_rows, nan_key,
                      selected);
  c10::cuda::launch(set_ranks, {grid(num_rows), kThreads}, stream, num_rows, n, rank, given,
                    selected);
  auto find = [&](bool of_index, int bytes) {
    while (bytes-- > 0) {
      const Digit digit{of_index, 8 * bytes};
      c10::cuda::launch(count_digits, {grid(num_rows, n), kThreads}, stream, rows, num_rows, digit,
                        selected, counts);
      c10::cuda::launch(choose_digits, {merge_sort::grid_of(num_rows), kThreads}, stream, num_rows,
                        digit, selected, counts);
    }
  };
  find(false, key_bytes_of(rows.type));
  find(true, bytes_of(static_cast<uint64_t>(n - 1)));
  return state;
}

}  // namespace at::native::selection
