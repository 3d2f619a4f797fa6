#pragma once
// Sums for outputs of a half type, accumulated in float.
//
//   WideSums<T> sums;
//   SumType<T>* plane = sums.open(pointer, n);
//   ... plane[i] += x ...
//   sums.close();

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// sums[i] += from[i] for n elements.
template <typename T>
void add_run(const T* from, SumType<T>* sums, int64_t n) {
  if constexpr (std::is_same_v<T, c10::Half>) return add_half_to_float(from, sums, n);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) sums[i] = wrapping_sum(sums[i], static_cast<SumType<T>>(from[i]));
}

// n elements as numbers that can be added to: the memory itself, or a buffer that close() writes
// back.
template <typename T>
class WideSums {
 public:
  using A = SumType<T>;
  A* open(T* p, int64_t n) {
    if constexpr (!kSumsAreWide<T>) {
      return p;
    } else {
      memory_ = p;
      buffer_.resize(n);
      convert_run(p, buffer_.data(), n);
      return buffer_.data();
    }
  }
  // The same for elements that are 0, whatever the memory has.
  A* open_zeros(T* p, int64_t n) {
    if constexpr (!kSumsAreWide<T>) {
      std::fill_n(p, n, T(0));
      return p;
    } else {
      memory_ = p;
      buffer_.assign(n, A(0));
      return buffer_.data();
    }
  }
  void close() {
    if constexpr (kSumsAreWide<T>) {
      convert_run(buffer_.data(), memory_, static_cast<int64_t>(buffer_.size()));
    }
  }

 private:
  T* memory_ = nullptr;
  std::vector<A> buffer_;
};

// n elements as numbers of the type that they are summed in: the memory itself, or a converted copy
// that lasts until the next call.
template <typename T>
class Widened {
 public:
  const SumType<T>* read(const T* p, int64_t n) {
    if constexpr (!kSumsAreWide<T>) {
      return p;
    } else {
      if (static_cast<int64_t>(buffer_.size()) < n) buffer_.resize(n);
      convert_run(p, buffer_.data(), n);
      return buffer_.data();
    }
  }

 private:
  std::vector<SumType<T>> buffer_;
};

// (index, position) for each of n positions, sorted by index; equal indices keep their order.
// `size`: an upper bound of the indices, if known.
template <typename F>
std::vector<std::pair<int64_t, int64_t>> sorted_by_index(int64_t n, const F& index_of,
                                                         int64_t size = -1) {
  std::vector<std::pair<int64_t, int64_t>> order(n);
  if (size < 0 || size > 4 * n) {
    for (int64_t k = 0; k < n; ++k) order[k] = {index_of(k), k};
    std::sort(order.begin(), order.end());
    return order;
  }
  std::vector<int64_t> next(size + 1);
  for (int64_t k = 0; k < n; ++k) ++next[index_of(k) + 1];
  for (int64_t p = 0; p < size; ++p) next[p + 1] += next[p];
  for (int64_t k = 0; k < n; ++k) order[next[index_of(k)]++] = {index_of(k), k};
  return order;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
