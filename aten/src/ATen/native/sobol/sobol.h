#pragma once
// The kernel of Sobol sequences that is called by hand.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

constexpr int64_t kSobolBits = 30;              // of the numbers
constexpr int64_t kSobolMaxDimensions = 21201;  // of the table of direction numbers

// Writes the next points to `out` and advances `quasi`. Row k of `directions` is changed together
// with bit k. All tensors are contiguous.
DECLARE_DISPATCH(void (*)(const Tensor& quasi, const Tensor& directions, int64_t num_generated,
                          const Tensor& out),
                 sobol_draw_stub);

}  // namespace at::native
