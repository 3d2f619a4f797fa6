#pragma once
// Matrix products for algorithms whose matrices lie column by column, as LAPACK's do.

#include <ATen/native/common/Gemm.h>
#include <c10/core/ScalarType.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// C = alpha A B + beta C, or with A^T, for C of m x n.
template <typename T>
void product_by_columns(bool transposed, int64_t m, int64_t n, int64_t k, double alpha, const T* a,
                        int64_t lda, const T* b, int64_t ldb, double beta, T* c, int64_t ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  // By rows this is C^T = alpha B^T A^T + beta C^T.
  GemmArgs g{c10::CppTypeToScalarType<T>::value};
  g.m = n;
  g.n = m;
  g.k = k;
  g.a = b;
  g.lda = ldb;
  g.b = a;
  g.ldb = lda;
  g.trans_b = transposed;
  g.c = c;
  g.ldc = ldc;
  g.alpha = {alpha, 0};
  g.beta = {beta, 0};
  gemm(g);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
