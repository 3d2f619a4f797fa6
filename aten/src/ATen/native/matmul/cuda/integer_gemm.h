#pragma once
// Products of matrices of integers on CUDA devices.

#include <ATen/native/common/Gemm.h>

namespace at::native {

// As gemm_batched. Sums wrap around in 64 bits, then to the type.
void integer_gemm(const GemmArgs& first, int64_t count, int64_t step_a, int64_t step_b,
                  int64_t step_c);

}  // namespace at::native
