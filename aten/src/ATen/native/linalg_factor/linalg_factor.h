#pragma once
// Kernels of factorizations. Inputs may have any strides, and batches that are expanded; results
// and what is changed in place come from empty_by_columns or copy_by_columns (BatchedMatrices.h),
// and have the whole batch. pivots and info are contiguous, of type int32.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// A = L L^H, or L^H L for `upper`; the other triangle of L is zero.
DECLARE_DISPATCH(void (*)(const Tensor& A, const Tensor& L, const Tensor& info, bool upper),
                 cholesky_stub);
// X = A^-1 X, for the Cholesky factor L of A.
DECLARE_DISPATCH(void (*)(const Tensor& L, const Tensor& X, bool upper), cholesky_solve_stub);
// X is a Cholesky factor, and becomes the inverse of the matrix.
DECLARE_DISPATCH(void (*)(const Tensor& X, bool upper), cholesky_inverse_stub);

// Without `pivot` the device may refuse; the pivots exchange nothing then.
DECLARE_DISPATCH(void (*)(const Tensor& A, const Tensor& LU, const Tensor& pivots,
                          const Tensor& info, bool pivot),
                 lu_factor_stub);
// Solves A X = B or X A = B, or with A^H; X holds B at first.
DECLARE_DISPATCH(void (*)(const Tensor& LU, const Tensor& pivots, const Tensor& X, bool left,
                          bool adjoint),
                 lu_solve_stub);
// Sets P, contiguous and zero, to the matrices of the pivots' permutations.
DECLARE_DISPATCH(void (*)(const Tensor& pivots, const Tensor& P), lu_permutation_stub);

DECLARE_DISPATCH(void (*)(const Tensor& LD, const Tensor& pivots, const Tensor& info,
                          bool hermitian),
                 ldl_factor_stub);
DECLARE_DISPATCH(void (*)(const Tensor& LD, const Tensor& pivots, const Tensor& X, bool hermitian),
                 ldl_solve_stub);

// a, which holds the matrices at first, becomes R and the reflectors below it.
DECLARE_DISPATCH(void (*)(const Tensor& a, const Tensor& tau), geqrf_stub);
// Q, which holds reflectors at first, becomes the first columns of their product.
DECLARE_DISPATCH(void (*)(const Tensor& Q, const Tensor& tau), householder_stub);
// C = Q C or C Q, or with Q^H.
DECLARE_DISPATCH(void (*)(const Tensor& reflectors, const Tensor& tau, const Tensor& C, bool left,
                          bool transpose),
                 ormqr_stub);

}  // namespace at::native
