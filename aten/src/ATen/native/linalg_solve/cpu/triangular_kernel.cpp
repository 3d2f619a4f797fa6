// Triangular equations.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/BlockedMatrices.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/MatrixBatch.h>
#include <ATen/native/linalg_solve/linalg_solve.h>

namespace at::native {
namespace {

using LapackTypes = JoinT<FloatingTypes, ComplexTypes>;

// The triangle of a matrix whose columns overlap, as in one that is expanded, on columns of their
// own. What is outside of it is not read.
template <typename T>
void copy_triangle(const T* from, int64_t n, int64_t column_stride, bool upper, T* to) {
  for (int64_t j = 0; j < n; ++j) {
    const int64_t begin = upper ? 0 : j, end = upper ? j + 1 : n;
    std::copy(from + j * column_stride + begin, from + j * column_stride + end, to + j * n + begin);
  }
}

void solve_triangular_kernel(const Tensor& A, const Tensor& X, TriangularOptions options) {
  dispatch_types<LapackTypes>(X.scalar_type(), "triangular_solve", [&]<typename T>(TypeTag<T>) {
    const MatrixBatch<T> a(A), x(X);
    const int64_t n = a.rows;
    if (X.numel() == 0) return;
    // A row by row is A^T column by column.
    const bool by_columns = a.row_stride == 1 && (a.column_stride >= n || n == 1);
    const bool by_rows = !by_columns && a.column_stride == 1;
    const bool direct = by_columns || (by_rows && (a.row_stride >= n || n == 1));
    const bool upper = options.upper != by_rows, transpose = options.transpose != by_rows;
    const int64_t stride = by_rows ? a.row_stride : a.column_stride;
    const int64_t ld = direct ? std::max(stride, n) : n;
    static const Lapack<T> trsm("trsm");
    const int rows = lapack_int(x.rows), columns = lapack_int(x.columns), lda = lapack_int(ld);
    const char side = options.left ? 'L' : 'R', triangle = upper ? 'U' : 'L',
               trans = transpose ? 'T' : 'N', diagonal = options.unit ? 'U' : 'N';
    BlasThreads threads(!options.left && x.count == 1 && n > 200);
    for_each_matrix(x.count, double(n) * x.rows * x.columns + 100, [&](int64_t b) {
      Scratch<T> copy(direct ? 0 : n * n);
      const T* matrix = a[b];
      if (!direct) {
        if (by_rows) copy_triangle(matrix, n, a.row_stride, upper, copy.get());
        else copy_to_columns(a, b, copy.get(), n);
        matrix = copy.get();
      }
      if (options.left) {
        solve_triangle(matrix, n, ld, {upper, options.unit, transpose}, x[b], x.columns, n);
        return;
      }
      trsm(side, triangle, trans, diagonal, rows, columns, T(1), matrix, lda, x[b], rows);
    });
  });
}

}  // namespace

REGISTER_DISPATCH(solve_triangular_stub, &solve_triangular_kernel)

}  // namespace at::native
