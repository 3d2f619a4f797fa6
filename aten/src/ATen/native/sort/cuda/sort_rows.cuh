#pragma once
// Sorts rows by their keys: Note [Sorting on CUDA] and Note [Radix sort on CUDA].
//
// Note [Which sort on CUDA]
// ~~~~~~~~~~~~~~~~~~~~~~~~~
// The sort that moves fewer bytes. For each element of a row of n, with k bytes of key in a word of
// w (4 or 8), and pairs of a key and an index in e bytes (8 or 16):
//
//   merge   k + e            reads the tensor, writes sorted tiles
//           2e               each of the log2(n / 1024) merges, rounded up
//   radix   3k + w + 4       reads the tensor for the survey, and twice for the first pass
//           3w + 8           each other pass, of k - 1: keys are read twice; an index has 4 bytes
//           1                each pass: 4 KiB of counts for a part of a tile or more
//
// The key of the last pass is not written where nobody reads it. A pass that rows leave out costs
// nothing, which the host does not know; 64-bit integers are nearly always numbers of elements or
// rows, so their upper half is counted as left out. If the elements of a row are apart, they are
// read in sectors of 32 bytes.
//
// A kernel takes 2 to 3 microseconds even if it moves little, which is worth 8 MB. Merges are 1 +
// log2(n / 1024) kernels; the radix sort is 2, with the fill, and 3 for each pass. So it begins at
//
//   rows    8-bit    16-bit    float    int64    double
//   1       8 K      66 K      425 K    556 K    1,051 K
//   100     8 K      8 K       33 K     29 K     131 K
//   10,000  8 K      8 K       17 K     8 K      131 K

#include <ATen/native/sort/cuda/merge_sort.cuh>
#include <ATen/native/sort/cuda/radix_sort.cuh>

namespace at::native {

// Rows whose elements are made of a tensor, or were collected by a selection.
template <typename E>
struct RowsToSort {
  using Element = E;
  OrderedRows rows;
  OrderResults to;
  const E* collected;
  int64_t n;
  __device__ E load(int64_t row, int64_t i) const {
    return collected != nullptr ? collected[row * n + i] : E::make(rows.key(row, i), i);
  }
  __device__ void store(int64_t row, int64_t i, const E& e) const {
    if (i < to.m) to.store(rows, row, i, e.index());
  }
  __device__ bool less(const E& a, const E& b) const { return is_before(a, b); }
};

// Where a sort left the elements, row by row.
template <typename E>
struct SortedElements {
  const E* merged;  // null: the radix sort's
  radix_sort::Arrays<typename E::Key> arrays;
  int64_t n;
  __device__ uint64_t key(int64_t row, int64_t i) const {
    return merged != nullptr ? merged[row * n + i].key() : arrays.key(row, i);
  }
  __device__ int64_t index(int64_t row, int64_t i) const {
    return merged != nullptr ? merged[row * n + i].index() : arrays.index(row, i);
  }
};

template <typename E>
struct SortedRows {
  SortedElements<E> elements;
  Tensor memory;  // undefined: the rows have stored themselves
};

// Whether the radix sort costs less than merges.
inline bool takes_radix_sort(Dense3 shape, ScalarType type, int64_t element_bytes,
                             bool keeps_keys) {
  const int64_t n = shape.n, total = shape.outer * n * shape.inner, k = key_bytes_of(type);
  if (total == 0 || n < 2 * radix_sort::kTile || n > radix_sort::kMaxLength) return false;
#ifdef TORCH_CUDA_EMULATED
  constexpr int64_t kLaunch = 0;  // the tests have shorter rows
#else
  constexpr int64_t kLaunch = 8'000'000;
#endif
  const int64_t read = shape.inner > 1 ? 32 : k, word = k > 4 ? 8 : 4;
  const int64_t passes = k == 8 && isIntegralType(type, false) ? 4 : k;
  int64_t merges = 0;
  while (merge_sort::kTile << merges < n) ++merges;
  const int64_t merged = read + element_bytes + 2 * element_bytes * merges;
  const int64_t moved =
      3 * read + word + 4 + (passes - 1) * (3 * word + 8) + passes - (keeps_keys ? 0 : word);
  return total * moved + (2 + 3 * k) * kLaunch < total * merged + (1 + merges) * kLaunch;
}

// Sorts on the current stream. through_rows: rows that are no longer than a tile store themselves.
template <typename E>
SortedRows<E> sort_rows(const RowsToSort<E>& source, bool through_rows, bool keeps_keys,
                        c10::Device device) {
  const OrderedRows& rows = source.rows;
  const int64_t num_rows = rows.shape.outer * rows.shape.inner;
  // Those that a selection collected are in no order, which a stable sort would keep.
  if (source.collected == nullptr &&
      takes_radix_sort(rows.shape, rows.type, sizeof(E), keeps_keys)) {
    auto sorted =
        radix_sort::sort_rows<typename E::Key>(rows, key_bytes_of(rows.type), keeps_keys, device);
    return {{nullptr, sorted.arrays, source.n}, sorted.memory};
  }
  const bool is_apart = source.collected == nullptr && rows.shape.inner > 1;
  const Tensor memory =
      merge_sort::sort_rows(source, num_rows, source.n, is_apart, through_rows, device);
  const E* merged = memory.defined() ? static_cast<const E*>(memory.data_ptr()) : nullptr;
  return {{merged, {}, source.n}, memory};
}

}  // namespace at::native
