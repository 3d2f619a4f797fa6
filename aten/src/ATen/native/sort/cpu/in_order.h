#pragma once
// Whether lines are sorted already: then a sort copies them. Lines in no order are found out after
// a few elements.

#include <atomic>
#include <cstring>
#include <limits>
#include <type_traits>

#include <ATen/Parallel.h>
#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/TypeDispatch.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Integers that are in order exactly if numbers are, but for NaN, and for 0 before -0, which counts
// as out of order. There are few types of them, and their comparisons are vectorized.
template <typename T>
using OrderBits = std::conditional_t<
    std::is_same_v<T, bool>, uint8_t,
    std::conditional_t<std::is_integral_v<T>, T,
                       std::conditional_t<sizeof(T) == 2, int16_t,
                                          std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>>;

// Whether x[i] may stand before x[i + step], for i < n. `infinity`: the bits of that number; 0 for
// integers.
template <typename I>
bool pairs_are_in_order(const I* x, int64_t n, int64_t step, bool descending, I infinity) {
  constexpr int kSign = sizeof(I) * 8 - 1;
  constexpr I kSize = static_cast<I>(~(I(1) << kSign));
  const auto key = [](I bits) { return static_cast<I>(bits ^ ((bits >> kSign) & kSize)); };
  I wrong = 0;  // as wide as the elements that are compared
  if (infinity != 0) {
    for (int64_t i = 0; i < n; ++i) {
      const I a = key(x[i]), b = key(x[i + step]);
      wrong |= static_cast<I>(descending ? a < b : a > b) |
               static_cast<I>((x[i] & kSize) > infinity) |
               static_cast<I>((x[i + step] & kSize) > infinity);
    }
  } else {
    for (int64_t i = 0; i < n; ++i)
      wrong |= static_cast<I>(descending ? x[i] < x[i + step] : x[i] > x[i + step]);
  }
  return wrong == 0;
}

// Whether all lines are in order. False if a number is NaN.
template <typename T>
bool are_in_order(const T* data, Dense3 s, bool descending) {
  using I = OrderBits<T>;
  I infinity = 0;
  if constexpr (!std::is_integral_v<T>) {
    const T value = static_cast<T>(std::numeric_limits<float>::infinity());
    std::memcpy(&infinity, &value, sizeof(value));
  }
  const I* x = reinterpret_cast<const I*>(data);
  const int64_t pairs = (s.n - 1) * s.inner;
  std::atomic<bool> in_order = true;
  for (int64_t o = 0; o < s.outer && in_order; ++o) {
    const I* line = x + o * s.n * s.inner;
    parallel_for(0, pairs, kGrainSize, [&](int64_t begin, int64_t end) {
      constexpr int64_t kPiece = 1024;
      for (int64_t i = begin; i < end && in_order; i += kPiece) {
        if (!pairs_are_in_order(line + i, std::min(kPiece, end - i), s.inner, descending, infinity))
          in_order = false;
      }
    });
  }
  return in_order;
}

// The result of a stable sort of such lines.
template <typename T>
void copy_in_order(const T* data, T* values, int64_t* indices, Dense3 s) {
  parallel_for(0, s.outer * s.n, std::max<int64_t>(1, kGrainSize / s.inner),
               [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<void*>(values + begin * s.inner), data + begin * s.inner,
                static_cast<size_t>((end - begin) * s.inner) * sizeof(T));
    int64_t i = begin % s.n;
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t k = 0; k < s.inner; ++k) indices[row * s.inner + k] = i;
      if (++i == s.n) i = 0;
    }
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
