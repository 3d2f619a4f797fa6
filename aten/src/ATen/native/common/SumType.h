#pragma once
// The types in which sums are accumulated: adding ones in the type itself stops at 2,048 in float16
// and at 256 in bfloat16.

#include <type_traits>

#include <ATen/OpMathType.h>

namespace at::native {

// The type in which elements of type T are accumulated.
template <typename T>
using SumType = opmath_type<T>;

template <typename T>
constexpr bool kSumsAreWide = !std::is_same_v<SumType<T>, T>;

// The same for tensors.
inline c10::ScalarType sum_type(c10::ScalarType t) {
  return t == c10::kHalf || t == c10::kBFloat16 ? c10::kFloat
         : t == c10::kComplexHalf               ? c10::kComplexFloat
                                                : t;
}

// With fewer additions than one per this many outputs, indices are sorted and outputs not widened.
constexpr int64_t kFewAdditions = 64;

}  // namespace at::native
