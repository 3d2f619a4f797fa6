// Cholesky factors, and solutions and inverses from them.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/BlockedMatrices.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_factor/cpu/FactorColumns.h>
#include <ATen/native/linalg_factor/linalg_factor.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

// Columns of L from the lower triangle of A; with `upper`, from the conjugate of its upper
// triangle.
template <typename T>
void copy_lower(const MatrixBatch<T>& A, int64_t b, bool upper, T* l, int64_t n) {
  const T* a = A[b];
  const int64_t down = upper ? A.column_stride : A.row_stride,
                across = upper ? A.row_stride : A.column_stride;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      T value = a[i * down + j * across];
      l[j * n + i] = upper ? conj_value(value) : value;
    }
  }
}

template <typename T>
int factor_small(const MatrixBatch<T>& A, int64_t b, bool upper, T* l) {
  const int64_t n = A.rows;
  T work[kSmallMatrix * kSmallMatrix];
  T* lower = upper ? work : l;
  copy_lower(A, b, upper, lower, n);
  const int info = small_cholesky(lower, n, n);
  for (int64_t j = 0; j < n; ++j) {
    if (!upper) {
      std::fill(l + j * n, l + j * n + j, T(0));
    } else {
      for (int64_t i = 0; i <= j; ++i) l[j * n + i] = conj_value(work[i * n + j]);
      std::fill(l + j * n + j + 1, l + (j + 1) * n, T(0));
    }
  }
  return info;
}

template <typename T>
void zero_other_triangle(T* l, int64_t n, bool upper) {
  for (int64_t j = 0; j < n; ++j) {
    if (upper) std::fill(l + j * n + j + 1, l + (j + 1) * n, T(0));
    else std::fill(l + j * n, l + j * n + j, T(0));
  }
}

void cholesky_kernel(const Tensor& A, const Tensor& L, const Tensor& info, bool upper) {
  dispatch_types<LapackTypes>(A.scalar_type(), "cholesky", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> from(A), to(L);
    int* infos = static_cast<int*>(info.data_ptr());
    const int64_t n = from.rows;
    if (from.count * n == 0) return void(std::fill(infos, infos + from.count, 0));
    if (n <= kSmallMatrix) {
      for_each_matrix(from.count, double(n * n * n) / 3 + 20,
                      [&](int64_t b) { infos[b] = factor_small(from, b, upper, to[b]); });
      return;
    }
    static const Lapack<T> potrf("potrf");
    const int size = lapack_int(n);
    BlasThreads threads(from.count == 1 && n > 200);
    for_each_matrix(from.count, double(n) * n * n, [&](int64_t b) {
      copy_to_columns(from, b, to[b], n);
      potrf(upper ? 'U' : 'L', size, to[b], size, infos + b);
      zero_other_triangle(to[b], n, upper);
    });
  });
}

void cholesky_solve_kernel(const Tensor& L, const Tensor& X, bool upper) {
  dispatch_types<LapackTypes>(X.scalar_type(), "cholesky_solve", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> factors(L), x(X);
    const int64_t n = factors.rows, columns = x.columns;
    if (X.numel() == 0) return;
    const FactorColumns<T> by_columns(factors, columns);
    for_each_matrix(x.count, double(n) * n * columns + 500, [&](int64_t b) {
      const typename FactorColumns<T>::Matrix l(by_columns, b);
      if (upper) conjugate(x[b], n * columns);
      l.solve({upper, false, upper}, x[b], columns);
      conjugate(x[b], n * columns);
      l.solve({upper, false, !upper}, x[b], columns);
      if (!upper) conjugate(x[b], n * columns);
    });
  });
}

void cholesky_inverse_kernel(const Tensor& X, bool upper) {
  dispatch_types<LapackTypes>(X.scalar_type(), "cholesky_inverse", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> x(X);
    const int64_t n = x.rows;
    if (X.numel() == 0) return;
    for_each_matrix(x.count, double(n) * n * n + 500, [&](int64_t b) {
      T* a = x[b];
      for (int64_t i = 0; i < n; ++i)
        TORCH_CHECK_LINALG(a[i * (n + 1)] != T(0), "cholesky_inverse: (Batch element ", b,
                           "): the diagonal element ", i + 1,
                           " is zero, so the inverse could not be computed");
      Scratch<T> factor(n * n);
      std::copy(a, a + n * n, factor.get());
      std::fill(a, a + n * n, T(0));
      for (int64_t i = 0; i < n; ++i) a[i * (n + 1)] = T(1);
      // U^H U and the conjugate of L L^H are alike: the triangle below is solved first.
      solve_lower_part(factor.get(), n, n, {upper, false, upper}, a, n);
      conjugate(a, n * n);
      solve_lower_part(factor.get(), n, n, {upper, false, !upper}, a, n);
      if (!upper) conjugate(a, n * n);
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < j; ++i) a[j * n + i] = conj_value(a[i * n + j]);
      }
    });
  });
}

}  // namespace

REGISTER_DISPATCH(cholesky_stub, &cholesky_kernel)
REGISTER_DISPATCH(cholesky_solve_stub, &cholesky_solve_kernel)
REGISTER_DISPATCH(cholesky_inverse_stub, &cholesky_inverse_kernel)

}  // namespace at::native
