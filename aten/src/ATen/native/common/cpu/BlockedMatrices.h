#pragma once
// LU factors and triangular equations of matrices of any size, divided in halves until
// SmallTriangles.h and SmallMatrices.h apply, so that nearly all work is in products (gemm of
// Gemm.h, which uses all threads).
//
// LAPACK's routines of OpenBLAS do the same with its own triangular kernels, which take about twice
// as long (1000 x 1000 on one thread of a Sapphire Rapids). Matrices lie column by column.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/cpu/ColumnProduct.h>
#include <ATen/native/common/cpu/SmallMatrices.h>
#include <ATen/native/common/cpu/SmallTriangles.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// C -= A B, or A^T B, for C of m x n.
template <typename T>
void subtract_product(const T* a, int64_t lda, bool trans, const T* b, int64_t ldb, T* c,
                      int64_t ldc, int64_t m, int64_t n, int64_t k) {
  product_by_columns(trans, m, n, k, -1, a, lda, b, ldb, 1, c, ldc);
}

template <typename T>
void solve_halves(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t columns,
                  int64_t ldb) {
  if (n <= kSmallMatrix) return solve_small_triangle(a, n, ld, t, b, columns, ldb);
  const int64_t first = divup(n / 2, kSmallMatrix) * kSmallMatrix, rest = n - first;
  const T* corner = a + first * (ld + 1);
  const T* other = t.upper ? a + first * ld : a + first;
  if (t.forward()) {
    solve_halves(a, first, ld, t, b, columns, ldb);
    subtract_product(other, ld, t.transpose, b, ldb, b + first, ldb, rest, columns, first);
    solve_halves(corner, rest, ld, t, b + first, columns, ldb);
  } else {
    solve_halves(corner, rest, ld, t, b + first, columns, ldb);
    subtract_product(other, ld, t.transpose, b + first, ldb, b, ldb, first, columns, rest);
    solve_halves(a, first, ld, t, b, columns, ldb);
  }
}

// From so many rows on two columns are worth two threads.
constexpr int64_t kFewSplit = 256;

// Solves A X = B, or A^T X = B, in place of B.
template <typename T>
void solve_triangle(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t columns,
                    int64_t ldb) {
  // A few columns are bound by the memory of A, of which a pass for one reads each number once.
  const bool are_few = columns <= 2;
  const int64_t grain =
      are_few ? (n > kFewSplit ? 1 : 2) : std::max<int64_t>(16, (1 << 20) / (n * n + 1));
  parallel_for(0, columns, grain, [&](int64_t begin, int64_t end) {
    T* own = b + begin * ldb;
    if (are_few) solve_small_triangle(a, n, ld, t, own, end - begin, ldb);
    else solve_halves(a, n, ld, t, own, end - begin, ldb);
  });
}

// Solves with a triangle where X is lower triangular, or only its lower triangle matters: block by
// block of columns, from the diagonal on. `forward` equations keep zeros above, others leave what
// is there.
template <typename T>
void solve_lower_part(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t ldb) {
  constexpr int64_t kColumns = 64;
  const int64_t grain = std::max<int64_t>(1, (1 << 20) / (n * n * kColumns + 1));
  parallel_for(0, divup(n, kColumns), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t c = i * kColumns;
      solve_halves(a + c * (ld + 1), n - c, ld, t, b + c * (ldb + 1), std::min(kColumns, n - c),
                   ldb);
    }
  });
}

// Conjugates n elements; nothing for real types. A^H X = B is A^T conj(X) = conj(B).
template <typename T>
void conjugate(T* x, int64_t n) {
  if constexpr (!std::is_floating_point_v<T>) {
    for (int64_t i = 0; i < n; ++i) x[i] = conj_value(x[i]);
  }
}

template <typename T>
int lu_halves(T* a, int64_t m, int64_t n, int64_t ld, int* pivots) {
  // From measurements: a panel reads and writes all of its columns for each pivot.
  const int64_t panel = m > 256 ? 8 : 16;
  if (n <= panel) return small_lu(a, m, n, ld, pivots);
  const int64_t first = divup(n / 2, panel) * panel, rest = n - first;
  T *right = a + first * ld, *corner = right + first;
  int info = lu_halves(a, m, first, ld, pivots);
  small_swap_rows(right, rest, ld, pivots, first);
  solve_triangle(a, first, ld, {false, true}, right, rest, ld);
  subtract_product(a + first, ld, false, right, ld, corner, ld, m - first, rest, first);
  const int below = lu_halves(corner, m - first, rest, ld, pivots + first);
  small_swap_rows(a + first, first, ld, pivots + first, rest);
  for (int64_t i = first; i < n; ++i) pivots[i] += static_cast<int>(first);
  return info != 0 ? info : below != 0 ? below + static_cast<int>(first) : 0;
}

// A = P L U in place, as small_lu.
template <typename T>
int blocked_lu(T* a, int64_t m, int64_t n, int64_t ld, int* pivots) {
  if (m >= n) return lu_halves(a, m, n, ld, pivots);
  const int info = lu_halves(a, m, m, ld, pivots);
  T* right = a + m * ld;
  small_swap_rows(right, n - m, ld, pivots, m);
  solve_triangle(a, m, ld, {false, true}, right, n - m, ld);
  return info;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
