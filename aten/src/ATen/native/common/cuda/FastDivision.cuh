#pragma once
// Division of 32-bit numbers by one that is known at the launch: a multiplication and a shift.
// Source: T. Granlund and P. Montgomery, "Division by Invariant Integers using Multiplication",
// PLDI 1994, figure 4.1, for numbers below 2^31.

#include <cstdint>

#include <c10/macros/Macros.h>
#include <cuda_runtime.h>

namespace at::native {

struct FastDivision {
  struct Result {
    uint32_t quotient, remainder;
  };

  FastDivision() = default;
  // A dimension without elements is never divided by.
  explicit FastDivision(uint32_t size) : divisor(size > 0 ? size : 1) {
    for (shift = 0; shift < 32; ++shift)
      if ((uint32_t{1} << shift) >= divisor) break;
    const uint64_t one = 1;
    multiplier = static_cast<uint32_t>(((one << 32) * ((one << shift) - divisor)) / divisor + 1);
  }

  __host__ __device__ Result divide(uint32_t n) const {
#if defined(__CUDA_ARCH__)
    const uint32_t high = __umulhi(n, multiplier);
#else
    const auto high = static_cast<uint32_t>(static_cast<uint64_t>(n) * multiplier >> 32);
#endif
    const uint32_t quotient = (high + n) >> shift;
    return {quotient, n - quotient * divisor};
  }

  uint32_t divisor = 1, multiplier = 1;
  uint32_t shift = 0;
};

}  // namespace at::native
