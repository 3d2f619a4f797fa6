#pragma once
// Kernels of diagonals and triangles of matrices.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Zeroes what is outside of the triangle in the matrices of a contiguous tensor, which has
// elements. lower: columns up to row + diagonal stay; otherwise columns from there on.
DECLARE_DISPATCH(void (*)(const Tensor& matrices, int64_t diagonal, bool lower),
                 keep_triangle_stub);

// The columns of a triangle, row by row. Rows outside [first_row, last_row) have none.
struct TriangleRows {
  int64_t first_row, last_row, num_columns, offset;
  bool lower;
};
// result[0] and result[1] take the rows and the columns of the triangle's elements; it is a
// contiguous tensor of int32 or int64.
DECLARE_DISPATCH(void (*)(const Tensor& result, const TriangleRows& triangle),
                 triangle_indices_stub);

}  // namespace at::native
