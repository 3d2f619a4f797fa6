// LU factors with partial pivoting, and solutions from them.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/BlockedMatrices.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_factor/cpu/FactorColumns.h>
#include <ATen/native/linalg_factor/linalg_factor.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

void lu_factor_kernel(const Tensor& A, const Tensor& LU, const Tensor& pivots, const Tensor& info,
                      bool pivot) {
  TORCH_CHECK(pivot, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
  dispatch_types<LapackTypes>(A.scalar_type(), "lu_factor", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> from(A), to(LU);
    int* infos = static_cast<int*>(info.data_ptr());
    int* all_pivots = static_cast<int*>(pivots.data_ptr());
    const int64_t m = from.rows, n = from.columns, steps = std::min(m, n), ld = to.ld();
    if (A.numel() == 0) return void(std::fill(infos, infos + from.count, 0));
    if (std::max(m, n) <= kSmallMatrix) {
      for_each_matrix(from.count, double(m * n * steps) + 30, [&](int64_t b) {
        copy_to_columns(from, b, to[b], ld);
        infos[b] = small_lu(to[b], m, n, ld, all_pivots + b * steps);
      });
      return;
    }
    for_each_matrix(from.count, double(m) * n * steps, [&](int64_t b) {
      copy_to_columns(from, b, to[b], ld);
      infos[b] = blocked_lu(to[b], m, n, ld, all_pivots + b * steps);
    });
  });
}

template <typename T>
void transpose_to(const T* from, int64_t rows, int64_t columns, T* to) {
  copy_to_columns<T>(from, rows, 1, columns, rows, to, columns);
}

// Pivots from outside may be anything, and say where to write.
void check_pivots(const int* pivots, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    TORCH_CHECK(pivots[k] >= 1 && pivots[k] <= n,
                "linalg.lu_solve: the pivots must be within 1 and ", n, ", got ", pivots[k]);
  }
}

void lu_solve_kernel(const Tensor& LU, const Tensor& pivots, const Tensor& X, bool left,
                     bool adjoint) {
  dispatch_types<LapackTypes>(X.scalar_type(), "lu_solve", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> factors(LU), x(X);
    const MatrixBatch<int> all_pivots(pivots);
    const int64_t n = factors.rows, columns = left ? x.columns : x.rows;
    if (X.numel() == 0) return;
    const FactorColumns<T> by_columns(factors, columns);
    for (int64_t b = 0; b < x.count; ++b) check_pivots(all_pivots[b], n);
    using Matrix = typename FactorColumns<T>::Matrix;
    const auto solve = [&](char trans, const Matrix& lu, const int* p, T* b) {
      if (trans == 'N') {
        small_swap_rows(b, columns, n, p, n);
        lu.solve({false, true}, b, columns);
        lu.solve({true, false}, b, columns);
        return;
      }
      if (trans == 'C') conjugate(b, n * columns);
      lu.solve({true, false, true}, b, columns);
      lu.solve({false, true, true}, b, columns);
      small_swap_rows(b, columns, n, p, n, true);
      if (trans == 'C') conjugate(b, n * columns);
    };
    for_each_matrix(x.count, double(n) * n * columns + 100, [&](int64_t b) {
      const Matrix lu(by_columns, b);
      const int* p = all_pivots[b];
      if (left) return solve(adjoint ? 'C' : 'N', lu, p, x[b]);
      // X A = B is A^T X^T = B^T; X A^H = B is A X^H = B^H.
      Scratch<T> transposed(n * columns);
      transpose_to(x[b], columns, n, transposed.get());
      if (adjoint) conjugate(transposed.get(), n * columns);
      solve(adjoint ? 'N' : 'T', lu, p, transposed.get());
      if (adjoint) conjugate(transposed.get(), n * columns);
      transpose_to(transposed.get(), n, columns, x[b]);
    });
  });
}

void lu_permutation_kernel(const Tensor& pivots, const Tensor& P) {
  dispatch_types<NumberTypes, bool>(P.scalar_type(), "lu_unpack", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> to(P);
    const int* all_pivots = static_cast<int*>(pivots.data_ptr());
    const int64_t m = to.rows, steps = pivots.sizes().back();
    for_each_matrix(to.count, double(2 * m), [&](int64_t b) {
      std::vector<int64_t> rows(m);
      for (int64_t i = 0; i < m; ++i) rows[i] = i;
      for (int64_t i = 0; i < steps; ++i) {
        const int64_t p = all_pivots[b * steps + i];
        TORCH_CHECK(p >= 1 && p <= m, "lu_unpack: the pivots must be within 1 and ", m, ", got ",
                    p);
        std::swap(rows[i], rows[p - 1]);
      }
      for (int64_t i = 0; i < m; ++i) to[b][rows[i] * m + i] = T(1);
    });
  });
}

}  // namespace

REGISTER_DISPATCH(lu_factor_stub, &lu_factor_kernel)
REGISTER_DISPATCH(lu_solve_stub, &lu_solve_kernel)
REGISTER_DISPATCH(lu_permutation_stub, &lu_permutation_kernel)

}  // namespace at::native
