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

#include <ATen/native/common/SumType.h>
#include <ATen/native/common/cpu/HalfConversion.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Converts n adjacent elements from one of the two types to the other.
template <typename From, typename To>
void convert_run(const From* from, To* to, int64_t n) {
  using HalfComplex = c10::complex<c10::Half>;
  if constexpr (std::is_same_v<From, HalfComplex>) {
    half_to_float(reinterpret_cast<const c10::Half*>(from), reinterpret_cast<float*>(to), 2 * n);
  } else if constexpr (std::is_same_v<To, HalfComplex>) {
    float_to_half(reinterpret_cast<const float*>(from), reinterpret_cast<c10::Half*>(to), 2 * n);
  } else if constexpr (std::is_same_v<From, float>) {
    narrow(from, to, n);
  } else {
    widen(from, to, n);
  }
}

// sums[i] += from[i] for n elements.
template <typename T>
void add_run(const T* from, SumType<T>* sums, int64_t n) {
  if constexpr (std::is_same_v<T, c10::Half>) return add_half_to_float(from, sums, n);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) sums[i] += static_cast<SumType<T>>(from[i]);
}

// A vector of numbers, in the type that they are summed in.
template <typename T>
Vec<SumType<T>> load_wide(const T* from) {
  using V = Vec<SumType<T>>;
  if constexpr (kSumsAreWide<T>) {
    alignas(kVecBytes) SumType<T> wide[V::size];
    convert_run(from, wide, V::size);
    return V::load(wide);
  } else {
    return V::load(from);
  }
}

// The first n lanes of one; the others are 0.
template <typename T>
Vec<SumType<T>> load_wide(const T* from, int64_t n) {
  using V = Vec<SumType<T>>;
  if constexpr (kSumsAreWide<T>) {
    T part[V::size] = {};
    std::copy_n(from, n, part);
    return load_wide(part);
  } else {
    return V::load(from, n);
  }
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
