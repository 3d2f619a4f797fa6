#pragma once
// Whether numbers are finite: LAPACK's iterations may not end otherwise.

#include <cmath>

#include <ATen/native/common/cpu/Lapack.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
bool all_finite(const T* x, int64_t n) {
  const auto* parts = reinterpret_cast<const Real<T>*>(x);
  const int64_t count = n * (is_complex_type<T> ? 2 : 1);
  // A sum of products with zero is NaN if some factor is not finite. Several sums make vectors.
  constexpr int kSums = 32;
  Real<T> sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int k = 0; k < kSums; ++k) sums[k] += parts[i + k] * 0;
  }
  for (; i < count; ++i) sums[0] += parts[i] * 0;
  for (int k = 1; k < kSums; ++k) sums[0] += sums[k];
  return sums[0] == 0;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
