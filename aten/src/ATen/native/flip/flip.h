#pragma once
// Kernels that reorder elements along dimensions. All tensors are contiguous and do not overlap;
// elements may have any type.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// out[o, (k + shift) % size] = in[o, k] for rows of `row` bytes; 0 <= shift < size.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& in, int64_t size, int64_t row,
                          int64_t shift),
                 roll_rows_stub);
// out[o, k] = in[o, size - 1 - k] for rows of `row` bytes.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& in, int64_t size, int64_t row),
                 reverse_rows_stub);

}  // namespace at::native
