#pragma once
// Elements that are ordered: keys with their indices. See Note [Order keys] in
// ATen/native/sort/sort.h.

#include <cstdint>
#include <type_traits>
#include <utility>

#include <ATen/native/sort/order_key.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// An element: its key and its index. For 32-bit keys both fit one word, and words compare like
// pairs.
struct Narrow {
  uint64_t word;
  static Narrow make(uint64_t key, int64_t index) {
    return {key << 32 | static_cast<uint64_t>(index)};
  }
  uint64_t key() const { return word >> 32; }
  int64_t index() const { return static_cast<int64_t>(word & 0xffffffffu); }
  friend bool operator<(Narrow a, Narrow b) { return a.word < b.word; }
  static constexpr int kBytes = 4;
};
struct Wide {
  uint64_t key_;
  int64_t index_;
  static Wide make(uint64_t key, int64_t index) { return {key, index}; }
  uint64_t key() const { return key_; }
  int64_t index() const { return index_; }
  friend bool operator<(const Wide& a, const Wide& b) {
    return a.key_ != b.key_ ? a.key_ < b.key_ : a.index_ < b.index_;
  }
  static constexpr int kBytes = 8;
};

// Of n > 0 integers.
template <typename T>
std::pair<T, T> min_and_max(const T* x, int64_t n) {
  T min = x[0], max = x[0];
  for (int64_t i = 0; i < n; ++i) {
    min = x[i] < min ? x[i] : min;
    max = x[i] > max ? x[i] : max;
  }
  return {min, max};
}

// Whether the keys of all elements are within 32 bits of the smallest one, which is then `base`.
template <typename T>
bool fit_in_32_bits(const T* x, int64_t n, uint64_t& base) {
  if constexpr (std::is_integral_v<T>) {
    const auto [min, max] = min_and_max(x, n);
    base = key_of(min);
    return key_of(max) - base < 0xffffffffull && n < 0xffffffffll;
  } else {
    return false;
  }
}

// The element of this rank (from 0). Hoare's selection with the median of three as the pivot: among
// equal elements kthvalue returns the one that this method finds.
template <typename E>
E ranked_among_equals(E* a, int64_t n, int64_t rank) {
  auto order = [&](int64_t i, int64_t j) {
    if (a[i].key() > a[j].key()) std::swap(a[i], a[j]);
  };
  int64_t low = 0, high = n - 1;
  while (high > low) {
    if (high == low + 1) {
      order(low, high);
      break;
    }
    std::swap(a[low + (high - low) / 2], a[low + 1]);
    order(low + 1, high);
    order(low, high);
    order(low + 1, low);
    int64_t i = low + 1, j = high;
    const uint64_t pivot = a[low].key();
    while (true) {
      do ++i;
      while (pivot > a[i].key());
      do --j;
      while (a[j].key() > pivot);
      if (j < i) break;
      std::swap(a[i], a[j]);
    }
    std::swap(a[low], a[j]);
    if (j <= rank) low = i;
    if (j >= rank) high = j - 1;
  }
  return a[rank];
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
