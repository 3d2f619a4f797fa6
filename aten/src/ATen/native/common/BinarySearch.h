#pragma once
// Binary search without branches: comparisons of random values cannot be predicted.

#include <cstdint>

#include <c10/macros/Macros.h>

namespace at::native {

// How many elements at the front of a[0, n) satisfy `before`, which holds for a prefix.
template <typename T, typename F>
C10_HOST_DEVICE int64_t count_before(const T* a, int64_t n, const F& before) {
  const T* base = a;
  while (n > 1) {
    const int64_t half = n / 2;
    // A product: compilers make a branch of a condition.
    base += static_cast<int64_t>(before(base[half - 1])) * half;
    n -= half;
  }
  return base - a + (n == 1 && before(*base) ? 1 : 0);
}

}  // namespace at::native
