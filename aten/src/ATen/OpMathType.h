#pragma once
// at::opmath_type<T>: the type in which arithmetic on elements of T is done: float for the 16-bit
// and 8-bit floating-point types, T itself for others.

#include <c10/core/ScalarType.h>

namespace at {

template <typename T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<c10::complex<c10::Half>> {
  using type = c10::complex<float>;
};
#define AT_FLOAT_MATH(T) \
  template <>            \
  struct OpMathType<T> { \
    using type = float;  \
  };
AT_FLOAT_MATH(c10::Half)
AT_FLOAT_MATH(c10::BFloat16)
AT_FLOAT_MATH(c10::Float8_e5m2)
AT_FLOAT_MATH(c10::Float8_e4m3fn)
AT_FLOAT_MATH(c10::Float8_e5m2fnuz)
AT_FLOAT_MATH(c10::Float8_e4m3fnuz)
AT_FLOAT_MATH(c10::Float8_e8m0fnu)
#undef AT_FLOAT_MATH

template <typename T>
using opmath_type = typename OpMathType<T>::type;

}  // namespace at
