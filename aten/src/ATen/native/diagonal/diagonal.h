#pragma once
// Kernels of diagonals and triangles of matrices.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Zeroes the elements outside of the triangle in the matrices of a contiguous, nonempty tensor.
// lower: keeps the columns up to row + diagonal; otherwise those from there on.
DECLARE_DISPATCH(void (*)(const Tensor& matrices, int64_t diagonal, bool lower),
                 keep_triangle_stub);

// The columns of a triangle, per row. Rows outside [first_row, last_row) are empty.
struct TriangleRows {
  int64_t first_row, last_row, num_columns, offset;
  bool lower;
};
// Writes the rows and the columns of the triangle's elements to result[0] and result[1], a
// contiguous tensor of int32 or int64.
DECLARE_DISPATCH(void (*)(const Tensor& result, const TriangleRows& triangle),
                 triangle_indices_stub);

}  // namespace at::native
