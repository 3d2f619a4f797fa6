#pragma once
// The square roots of many doubles, by products where the processor's instruction takes longer.

#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The nearest double to sqrt(x), as the instruction's.
//
// Newton's steps from an estimate of 14 bits: g goes to sqrt(x), and h to 1 / (2 sqrt(x)) (P. W.
// Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", IBM
// Journal of Research and Development 34, 1990). The last sum is rounded once, so that a wrong
// result needs a root within 2^-50 units of the middle of two doubles. All x whose roots are within
// 2^-43 have been tried: (2m + 1)^2 = k mod 2^54 or 2^55, |k| < 4096.
C10_ALWAYS_INLINE Vec<double> quick_sqrt(Vec<double> x) {
#if defined(__AVX512F__)
  using D = Vec<double>;
  // Neither the estimate nor a remainder may be subnormal or infinite.
  const D smallest(0x1p-900), largest(0x1p900);
  if (C10_UNLIKELY(!(all_greater(x, smallest) && all_greater(largest, x)))) return inline_sqrt(x);
  const D estimate = D::V(_mm512_rsqrt14_pd(__m512d(x.v))), half(0.5);
  D g = x * estimate, h = estimate * half;
#pragma GCC unroll 2
  for (int step = 0; step < 2; ++step) {
    const D rest = fused_multiply_add(-g, h, half);
    g = fused_multiply_add(g, rest, g);
    h = fused_multiply_add(h, rest, h);
  }
  return fused_multiply_add(fused_multiply_add(-g, g, x), h, g);
#else
  return inline_sqrt(x);
#endif
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
