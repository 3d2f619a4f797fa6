#pragma once
// Triangular equations on CUDA devices.

#include <ATen/native/common/cuda/ColumnMatrices.h>
#include <ATen/native/linalg_solve/linalg_solve.h>

namespace at::native {

// Solves op(A) X = B or X op(A) = B; X holds B at first. The device is the current one.
// options.transpose is not used.
void solve_triangles_cuda(const ColumnMatrices& A, const ColumnMatrices& X,
                          TriangularOptions options, cuda::cublas::Operation op);

// The same for up to 32 unknowns, by a warp for each matrix.
void solve_small_triangles_cuda(const ColumnMatrices& A, const ColumnMatrices& X,
                                TriangularOptions options, cuda::cublas::Operation op);

}  // namespace at::native
