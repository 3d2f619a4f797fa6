#pragma once
// at::acc_type<T, is_cuda>: the type in which elements of T are accumulated. On the CPU that is
// double for float, float for the 16-bit types, and int64_t for integers.

#include <type_traits>

#include <ATen/OpMathType.h>

namespace at {

template <typename T, bool is_cuda>
struct AccumulateType {
  using type =
      std::conditional_t<std::is_same_v<T, bool>, bool,
                         std::conditional_t<std::is_integral_v<T>, int64_t,
                                            std::conditional_t<!is_cuda && std::is_same_v<T, float>,
                                                               double, opmath_type<T>>>>;
};
template <bool is_cuda>
struct AccumulateType<c10::complex<float>, is_cuda> {
  using type = c10::complex<std::conditional_t<is_cuda, float, double>>;
};

template <typename T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;

}  // namespace at
