#pragma once
// The type of a number's real part: float of complex<float>, and of float itself.

#include <c10/util/complex.h>

namespace at::native {

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<c10::complex<T>> {
  using type = T;
};
template <typename T>
using Real = typename RealOf<T>::type;

}  // namespace at::native
