// Triangular equations on CUDA devices, by cuBLAS where they are not small.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/linalg_solve/cuda/triangular.h>
#include <ATen/ops/transpose.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {

namespace cublas = cuda::cublas;

// Up to this order one call for the whole batch is better than a call for each matrix.
static constexpr int64_t kBatchedOrder = 256;
static constexpr int64_t kSmallOrder = 32, kFewSides = 64;

void solve_triangles_cuda(const ColumnMatrices& A, const ColumnMatrices& X,
                          TriangularOptions options, cublas::Operation op) {
  if (X.rows * X.columns * X.count == 0) return;
  const int64_t order = options.left ? X.rows : X.columns,
                sides = options.left ? X.columns : X.rows;
  if (order <= kSmallOrder && sides <= kFewSides)
    return solve_small_triangles_cuda(A, X, options, op);
  const cublas::Handle handle = cublas::handle();
  cublas::check(cublas::functions().set_pointer_mode(handle, cublas::kHost),
                "cublasSetPointerMode");
  const cublas::TypedFunctions& f = cublas::functions().typed[type_index(X.type)];
  const int side = options.left ? cublas::kLeft : cublas::kRight,
            uplo = options.upper ? cublas::kUpper : cublas::kLower,
            diagonal = options.unit ? cublas::kUnit : cublas::kNonUnit, m = vendor_int(X.rows),
            lda = vendor_int(A.ld), ldx = vendor_int(X.ld);
  const void* one = number_one(X.type);
  const auto solve = [&](const void* a, void* x, int64_t columns) {
    cublas::check(
        f.trsm(handle, side, uplo, op, diagonal, m, vendor_int(columns), one, a, lda, x, ldx),
        "cublastrsm");
  };
  // A matrix that is the same for the whole batch has right sides side by side.
  if (X.count == 1 || (A.step == 0 && options.left && X.is_one_matrix()))
    return solve(A[0], X[0], X.columns * X.count);
  if (order > kBatchedOrder) {
    for (int64_t b = 0; b < X.count; ++b) solve(A[b], X[b], X.columns);
    return;
  }
  const Tensor a = addresses(A), x = addresses(X);
  cublas::check(f.trsm_batched(handle, side, uplo, op, diagonal, m, vendor_int(X.columns), one,
                               pointers(a), lda, pointers(x), ldx, vendor_int(X.count)),
                "cublastrsmBatched");
}

static void solve_triangular_cuda(const Tensor& A, const Tensor& X, TriangularOptions options) {
  c10::OptionalDeviceGuard guard(X.device());
  dispatch_types<JoinT<FloatingTypes, ComplexTypes>>(X.scalar_type(), "triangular_solve",
                                                     [](auto) {});
  // Rows of A are columns of its transpose.
  Tensor a = A;
  cublas::Operation op = options.transpose ? cublas::kTranspose : cublas::kNone;
  if (A.strides()[A.dim() - 1] == 1 && A.strides()[A.dim() - 2] > 1) {
    a = at::transpose(A, -2, -1);
    op = options.transpose ? cublas::kNone : cublas::kTranspose;
    options.upper = !options.upper;
  }
  const ColumnMatrices factors(as_column_matrices(a));
  solve_triangles_cuda(factors, ColumnMatrices(X), options, op);
}

REGISTER_CUDA_DISPATCH(solve_triangular_stub, &solve_triangular_cuda)

}  // namespace at::native
