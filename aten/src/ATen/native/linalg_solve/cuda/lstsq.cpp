// Least squares on CUDA devices: by QR factors (the driver 'gels'), or by singular values (all
// others, of which each gives the solution of the smallest norm).

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/linalg_eigen/cuda/finite.h>
#include <ATen/native/linalg_factor/cuda/elements.h>
#include <ATen/native/linalg_factor/cuda/qr.h>
#include <ATen/native/linalg_solve/cuda/triangular.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/linalg_svd.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {

namespace cublas = cuda::cublas;

static void lstsq_driver_cuda(LstsqDriver& driver, bool is_named) {
  if (!is_named) driver = LstsqDriver::gels;
}

static void check_finite(const ColumnMatrices& a) {
  const int64_t b = first_not_finite_cuda(a);
  TORCH_CHECK_LINALG(b < 0, "torch.linalg.lstsq: (Batch element ", b,
                     "): the matrices must contain neither infinities nor NaNs");
}

// A full matrix A = Q R, or R^H Q^H if it is wide.
static void by_factors(const ColumnMatrices& a, const Tensor& X, bool is_wide) {
  const int64_t k = a.columns;
  const DimVector batch(batch_sizes(X));
  Tensor tau = empty_tensor(with_sizes(batch, {k}), a.type, a.device);
  factor_qr_cuda(a, tau);
  Tensor info = empty_tensor({a.count}, kInt, a.device);
  find_zero_on_diagonal_cuda(a, static_cast<int*>(info.data_ptr()));
  int64_t index = -1, value = 0;
  first_error_stub(a.device.type(), info, index, value);
  TORCH_CHECK_LINALG(index < 0, "torch.linalg.lstsq: (Batch element ", index,
                     "): the matrix does not have full rank (diagonal element ", value,
                     " is zero), which the driver 'gels' needs");
  const ColumnMatrices x(X), first(at::slice(X, -2, 0, k));
  const TriangularOptions upper{true, true, false};
  // The triangle is the first rows of the factors.
  if (is_wide) {
    solve_triangles_cuda(a, first, upper, cublas::kConjugateTranspose);
    set_zero(at::slice(X, -2, k, a.rows));
    multiply_by_reflectors_cuda(a, tau, x, true, false);
  } else {
    multiply_by_reflectors_cuda(a, tau, x, true, true);
    solve_triangles_cuda(a, first, upper, cublas::kNone);
  }
}

static void by_singular_values(const Tensor& A, const Tensor& X, const Tensor& rank,
                               const Tensor& singular_values, double rcond) {
  const int64_t m = rows_of(A), n = columns_of(A), k = std::min(m, n);
  const auto [U, S, Vh] = at::linalg_svd(A, true);
  if (rcond < 0) rcond = S.scalar_type() == kFloat ? 0x1p-23 : 0x1p-52;
  const int64_t last = -1;
  const Tensor counts = at::gt(S, at::mul(at::amax(S, IntArrayRef(&last, 1), true), rcond));
  copy_into(rank, at::sum(counts, IntArrayRef(&last, 1)));
  if (singular_values.numel() != 0) copy_into(singular_values, S);
  const Tensor y = at::matmul(at::mH(U), at::slice(X, -2, 0, m));
  const Tensor inverse = at::where(counts, at::reciprocal(S), at::zeros_like(S));
  const Tensor z = at::mul(at::slice(y, -2, 0, k), at::unsqueeze(inverse, -1));
  copy_into(at::slice(X, -2, 0, n), at::matmul(at::mH(at::slice(Vh, -2, 0, k)), z));
  // The squares of the other rows are the residual.
  if (m > n) copy_into(at::slice(X, -2, n, m), at::slice(y, -2, n, m));
}

static void lstsq_cuda(const Tensor& A, const Tensor& X, const Tensor& rank,
                       const Tensor& singular_values, LstsqDriver driver, double rcond) {
  c10::OptionalDeviceGuard guard(A.device());
  if (A.numel() == 0 || X.numel() == 0) {
    if (A.numel() == 0) set_zero(X);
    set_zero(rank);
    return set_zero(singular_values);
  }
  const bool is_wide = rows_of(A) < columns_of(A);
  check_finite(ColumnMatrices(A));
  check_finite(ColumnMatrices(at::slice(X, -2, 0, rows_of(A))));
  if (driver != LstsqDriver::gels) return by_singular_values(A, X, rank, singular_values, rcond);
  by_factors(ColumnMatrices(is_wide ? copy_by_columns(at::mH(A)) : A), X, is_wide);
}

REGISTER_CUDA_DISPATCH(lstsq_driver_stub, &lstsq_driver_cuda)
REGISTER_CUDA_DISPATCH(lstsq_stub, &lstsq_cuda)

}  // namespace at::native
