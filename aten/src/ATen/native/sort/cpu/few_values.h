#pragma once
// Lines of integers that take few values, such as bytes and labels, are counted: no element moves.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <ATen/native/common/BoolBytes.h>
#include <ATen/native/common/Pieces.h>
#include <ATen/native/common/UnsignedOfSize.h>
#include <ATen/native/sort/cpu/elements.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The integers or bools min, min + 1, ... of which there are `size`.
template <typename T>
struct FewValues {
  T min;
  int64_t size;

  static constexpr int64_t kMaxSize = 4096;
  // Whether counters cost less than they save.
  bool pays(int64_t n) const { return n >= 64 && size <= kMaxSize && size <= 4 * n; }

  // The number of the value of element i.
  uint32_t number_at(const T* x, int64_t i) const {
    if constexpr (std::is_same_v<T, bool>) return is_true(x, i);
    using U = UnsignedOfSize<sizeof(T)>;
    return static_cast<uint32_t>(static_cast<U>(static_cast<U>(x[i]) - static_cast<U>(min)));
  }
  T value(int64_t number) const { return static_cast<T>(static_cast<int64_t>(min) + number); }

  // counts[i]: how many elements are the value of number i.
  void count(const T* x, int64_t n, int64_t stride, uint32_t* counts) const {
    std::fill_n(counts, size, 0u);
    int64_t i = 0;
    if (size <= kFew && n >= 4 * kFew) {
      // Equal neighbours have counters of their own: none waits for the other.
      uint32_t of[4][kFew] = {};
      for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; ++k) ++of[k][number_at(x, (i + k) * stride)];
      }
      for (int64_t v = 0; v < size; ++v) counts[v] = of[0][v] + of[1][v] + of[2][v] + of[3][v];
    }
    for (; i < n; ++i) ++counts[number_at(x, i * stride)];
  }

  // The counts of each piece, one after the other.
  std::vector<uint32_t> counts_of(const Pieces& pieces, const T* x, int64_t stride) const {
    std::vector<uint32_t> counts(static_cast<size_t>(pieces.count * size));
    pieces.for_each([&](int64_t p, int64_t begin, int64_t end) {
      count(x + begin * stride, end - begin, stride, counts.data() + p * size);
    });
    return counts;
  }

  // Sorts a line; equal elements stay in order.
  void sort(const T* x, int64_t stride, bool descending, const Pieces& pieces, T* values,
            int64_t* indices) const {
    std::vector<uint32_t> counts = counts_of(pieces, x, stride);
    uint32_t at = 0;
    for (int64_t k = 0; k < size; ++k) {
      const int64_t number = descending ? size - 1 - k : k;
      const uint32_t first = at;
      for (int64_t p = 0; p < pieces.count; ++p) at += std::exchange(counts[p * size + number], at);
      const T v = value(number);
      if (stride == 1) std::fill(values + first, values + at, v);
      else
        for (uint32_t i = first; i < at; ++i) values[i * stride] = v;
    }
    pieces.for_each([&](int64_t p, int64_t begin, int64_t end) {
      uint32_t* place = counts.data() + p * size;
      for (int64_t i = begin; i < end; ++i) indices[place[number_at(x, i * stride)]++ * stride] = i;
    });
  }

 private:
  static constexpr int64_t kFew = 256;
};

// The values that elements can take, or do take where these may be few.
template <typename T>
FewValues<T> values_of(const T* x, int64_t n) {
  if constexpr (std::is_same_v<T, bool>) return {false, 2};
  if constexpr (sizeof(T) == 1) return {std::numeric_limits<T>::min(), 256};
  const auto [min, max] = min_and_max(x, n);
  const auto span = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
  return {min, span < FewValues<T>::kMaxSize ? static_cast<int64_t>(span) + 1
                                             : std::numeric_limits<int64_t>::max()};
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
