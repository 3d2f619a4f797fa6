#pragma once
// LU factors on CUDA devices, and solutions from them.

#include <ATen/native/common/cuda/ColumnMatrices.h>

namespace at::native {

// In place; pivots are contiguous. The device is the current one.
void factor_lu_cuda(const ColumnMatrices& a, const Tensor& pivots, const Tensor& info,
                    bool pivot = true);
// Solves A X = B or X A = B, or with A^H; X holds B at first.
void solve_lu_cuda(const ColumnMatrices& factors, const int* pivots, const ColumnMatrices& x,
                   bool left, bool adjoint);

}  // namespace at::native
