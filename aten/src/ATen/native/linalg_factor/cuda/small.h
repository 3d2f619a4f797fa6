#pragma once
// Factors of matrices of up to 32 x 32, by a warp for each.

#include <ATen/native/common/cuda/ColumnMatrices.h>

namespace at::native {

constexpr int64_t kSmallMatrixCuda = 32;

// All work in place. The info of a matrix is set.
void small_cholesky_cuda(const ColumnMatrices& a, int* info, bool upper);
void small_lu_cuda(const ColumnMatrices& a, int* pivots, int* info, bool pivot);

void small_qr_cuda(const ColumnMatrices& a, void* tau);
// k reflectors become the first columns of their product.
void small_reflectors_cuda(const ColumnMatrices& q, const void* tau, int64_t k);

}  // namespace at::native
