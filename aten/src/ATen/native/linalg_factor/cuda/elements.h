#pragma once
// Passes over the elements of factors: what stands around the calls of the libraries.

#include <ATen/native/common/cuda/ColumnMatrices.h>

namespace at::native {

// Sets the other triangle to zero.
void keep_triangle_cuda(const ColumnMatrices& a, bool upper);
void set_identity_cuda(const ColumnMatrices& a);
// Interchanges rows, or columns, as the pivots of an LU factorization say. The pivots are
// contiguous, n for each matrix.
void swap_by_pivots_cuda(const ColumnMatrices& a, const int* pivots, int64_t n, bool columns,
                         bool reverse);
// Pivots that exchange nothing: 1, 2, ... n for each matrix.
void set_no_exchange_cuda(const ColumnMatrices& a, int* pivots, int64_t n);
// Sets `info` to the number of the first zero on the diagonal, counted from one, or zero.
void find_zero_on_diagonal_cuda(const ColumnMatrices& a, int* info);

}  // namespace at::native
