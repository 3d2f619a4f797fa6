#pragma once
// sqrt(x^2 + y^2).

#include <cmath>

#include <ATen/native/common/cpu/ByDoubles.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The squares of floats are exact in double, and neither overflow nor underflow: nothing has to be
// scaled.
C10_ALWAYS_INLINE Vec<float> inline_hypot(Vec<float> x, Vec<float> y) {
  const Vec<float> infinity(INFINITY),
      found = by_doubles(x, y, [](Doubles a, Doubles b) { return inline_sqrt(a * a + b * b); });
  // An infinity counts beside NaN, too.
  return where((abs(x) == infinity) | (abs(y) == infinity), infinity, found);
}

// A square root of the sum, less its error, which the exact squares tell (C. F. Borges, "Algorithm
// 1014: An Improved Algorithm for hypot(x,y)", 2020). Numbers whose squares are not exact are
// SLEEF's.
inline Doubles inline_hypot(Doubles x, Doubles y) {
#if defined(__FMA__)
  const Doubles a = abs(x), b = abs(y), large = where(a > b, a, b), small = where(a > b, b, a);
  const Doubles zero(0.0);
  const auto usual = ((large >= Doubles(0x1p-480)) & (large <= Doubles(0x1p510))) |
                     ((large == zero) & (small == zero));
  const auto p = exact_product(large, large), q = exact_product(small, small);
  const Doubles root = inline_sqrt(p.product + q.product);
  const auto r = exact_product(root, root);
  const Doubles error = ((r.product - p.product) - q.product) + ((r.error - p.error) - q.error);
  const Doubles found = where(root == zero, root, root - error / (root + root));
  return C10_LIKELY(!any(~usual)) ? found : where(usual, found, hypot(x, y));
#else
  return hypot(x, y);
#endif
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
