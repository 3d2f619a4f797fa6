#pragma once
// Whether numbers are finite: LAPACK's iterations may not end otherwise.

#include <cmath>

#include <ATen/native/common/cpu/Lapack.h>

namespace at::native {

template <typename T>
bool all_finite(const T* x, int64_t n) {
  const auto* parts = reinterpret_cast<const Real<T>*>(x);
  // A sum of products with zero is NaN if some factor is not finite.
  Real<T> sum = 0;
  for (int64_t i = 0; i < n * (is_complex_type<T> ? 2 : 1); ++i) sum += parts[i] * 0;
  return sum == 0;
}

}  // namespace at::native
