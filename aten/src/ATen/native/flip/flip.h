#pragma once
// Kernels that reorder elements along dimensions. All tensors are contiguous and do not overlap;
// elements may have any type.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// A dimension of `size` rows of `row` bytes whose row k moves to (k + shift) % size; 0 < shift <
// size.
struct RolledDim {
  int64_t size, row, shift;
};
// More dimensions take several passes.
constexpr size_t kMaxRolledDims = 16;

// Moves the rows of all these dimensions, of which the outermost comes first.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& in, ArrayRef<RolledDim> dims),
                 roll_dims_stub);
// out[o, k] = in[o, size - 1 - k] for rows of `row` bytes.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Tensor& in, int64_t size, int64_t row),
                 reverse_rows_stub);

}  // namespace at::native
