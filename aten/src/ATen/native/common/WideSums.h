#pragma once
// Sums for outputs of a half type, accumulated in float: adding ones in the type itself stops at
// 2,048 in float16 and at 256 in bfloat16.
//
//   WideSums<T> sums;
//   SumType<T>* plane = sums.open(pointer, n);
//   ... plane[i] += x ...
//   sums.close();

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <ATen/native/common/Convert.h>

namespace at::native {

template <typename T>
struct SumTypeOf {
  using type = T;
};
template <>
struct SumTypeOf<c10::Half> {
  using type = float;
};
template <>
struct SumTypeOf<c10::BFloat16> {
  using type = float;
};
template <>
struct SumTypeOf<c10::complex<c10::Half>> {
  using type = c10::complex<float>;
};
// The type in which elements of type T are accumulated.
template <typename T>
using SumType = typename SumTypeOf<T>::type;

template <typename T>
constexpr bool kSumsAreWide = !std::is_same_v<SumType<T>, T>;

// The same for tensors.
inline c10::ScalarType sum_type(c10::ScalarType t) {
  return t == c10::kHalf || t == c10::kBFloat16 ? c10::kFloat
         : t == c10::kComplexHalf               ? c10::kComplexFloat
                                                : t;
}

// Converts n adjacent elements from one of the two types to the other, with the vectorized kernel.
template <typename From, typename To>
void convert_run(const From* from, To* to, int64_t n) {
  convert_elements(c10::CppTypeToScalarType<From>::value, from, c10::CppTypeToScalarType<To>::value,
                   to, n);
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

// With fewer additions than one per this many outputs, indices are sorted and outputs not widened.
constexpr int64_t kFewAdditions = 64;

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

}  // namespace at::native
