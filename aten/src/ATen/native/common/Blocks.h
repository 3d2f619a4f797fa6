#pragma once
// Note [Blocks by table]
// ~~~~~~~~~~~~~~~~~~~~~~
// Where the two innermost dimensions are small (the channels of a pixel, in groups; the outer
// products of short vectors), a loop over them costs more than their elements. If what is written
// is dense, a table of the places of up to some hundred elements of another one, in its memory,
// serves every block of that shape: copies and elementwise operators gather by it.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::native {

class Blocks {
 public:
  // Blocks of at most `max_elements` of the operands of `iter`, whose outputs have to be dense.
  Blocks(const TensorIteratorBase& iter, int64_t max_elements) : iter_(iter) {
    constexpr int64_t kFewElements = 64;  // of the two innermost dimensions
    const IntArrayRef shape = iter.shape();
    const int ndim = iter.ndim();
    if (ndim < 3 || shape[0] * shape[1] > kFewElements) return;
    while (split_ < ndim && block_ * shape[split_] <= max_elements) block_ *= shape[split_++];
    if (split_ < 2 || split_ == ndim) return;
    // A block also takes several positions of the next dimension.
    rows_ = std::min(shape[split_], max_elements / block_);
    fits_ = true;
    for (int k = 0; k < iter.ntensors() && fits_; ++k)
      fits_ = k < iter.noutputs() ? is_dense(k) : reach(k) <= INT32_MAX;
  }

  bool fit() const { return fits_; }

  // Whether the elements of a block of operand k follow each other.
  bool is_dense(int k) const {
    int64_t next = static_cast<int64_t>(elementSize(iter_.dtype(k)));
    for (int d = 0; d <= split_; ++d) {
      if (iter_.strides(k)[d] != next) return false;
      next *= iter_.shape()[d];
    }
    return true;
  }

  // The places of the elements of a block of operand k, in bytes from its first one.
  std::vector<int32_t> places(int k) const {
    std::vector<int32_t> table(static_cast<size_t>(block_ * rows_));
    // Each dimension repeats what is there of the ones before it: no divisions.
    int64_t filled = 1;
    for (int d = 0; d <= split_; ++d) {
      const int64_t n = d < split_ ? iter_.shape()[d] : rows_;
      for (int64_t i = 1; i < n; ++i) {
        const auto step = static_cast<int32_t>(i * iter_.strides(k)[d]);
        int32_t *from = table.data(), *to = from + i * filled;
#pragma GCC ivdep
        for (int64_t j = 0; j < filled; ++j) to[j] = from[j] + step;
      }
      filled *= n;
    }
    return table;
  }

  // f(the first element of each operand, n) for all blocks, of n elements.
  template <typename F>
  void for_each(int64_t grain, const F& f) const {
    constexpr int kMaxOperands = 8;
    const IntArrayRef shape = iter_.shape();
    const int64_t pieces = divup(shape[split_], rows_);
    int64_t outer = pieces;
    for (int d = split_ + 1; d < iter_.ndim(); ++d) outer *= shape[d];
    parallel_for(0, outer, std::max<int64_t>(1, grain / (block_ * rows_)),
                 [&](int64_t begin, int64_t end) {
      char* data[kMaxOperands];
      for (int64_t o = begin; o < end; ++o) {
        const int64_t first = o % pieces * rows_;
        for (int k = 0; k < iter_.ntensors(); ++k) {
          const IntArrayRef strides = iter_.strides(k);
          data[k] = static_cast<char*>(iter_.data_ptr(k)) + first * strides[split_];
          int64_t rest = o / pieces;
          for (int d = split_ + 1; d < iter_.ndim(); ++d) {
            data[k] += rest % shape[d] * strides[d];
            rest /= shape[d];
          }
        }
        f(data, block_ * std::min(rows_, shape[split_] - first));
      }
    });
  }

 private:
  int64_t reach(int k) const {
    int64_t farthest = (rows_ - 1) * std::abs(iter_.strides(k)[split_]);
    for (int d = 0; d < split_; ++d)
      farthest += (iter_.shape()[d] - 1) * std::abs(iter_.strides(k)[d]);
    return farthest;
  }

  const TensorIteratorBase& iter_;
  int64_t block_ = 1, rows_ = 0;
  int split_ = 0;  // the dimension of which a block has several positions
  bool fits_ = false;
};

// Gathers the elements at these places of `from`: small ones are stored 8 bytes at a time.
template <typename T>
void gather_places(T* to, const char* from, const int32_t* places, int64_t n) {
  int64_t i = 0;
  if constexpr (sizeof(T) < 8) {
    constexpr int kTogether = 8 / sizeof(T);
    for (; i + kTogether <= n; i += kTogether) {
      uint64_t all = 0;
      for (int k = 0; k < kTogether; ++k) {
        T one;
        __builtin_memcpy(&one, from + places[i + k], sizeof(T));
        all |= uint64_t{one} << (k * 8 * sizeof(T));
      }
      __builtin_memcpy(to + i, &all, 8);
    }
  }
  for (; i < n; ++i) __builtin_memcpy(to + i, from + places[i], sizeof(T));
}

}  // namespace at::native
