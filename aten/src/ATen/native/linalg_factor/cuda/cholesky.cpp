// Cholesky factors on CUDA devices, and solutions and inverses from them.

#include <ATen/cuda/CusolverApi.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/common/cuda/Workspaces.h>
#include <ATen/native/linalg_factor/cuda/elements.h>
#include <ATen/native/linalg_factor/cuda/small.h>
#include <ATen/native/linalg_factor/linalg_factor.h>
#include <ATen/native/linalg_solve/cuda/triangular.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

namespace cublas = cuda::cublas;
namespace cusolver = cuda::cusolver;

// Up to this order one call for the whole batch is better than a call for each matrix.
constexpr int64_t kBatchedOrder = 256;

void cholesky_cuda(const Tensor& A, const Tensor& L, const Tensor& info, bool upper) {
  c10::OptionalDeviceGuard guard(A.device());
  if (A.numel() == 0) return set_zero(info);
  copy_into(L, A);
  const ColumnMatrices l(L);
  int* infos = static_cast<int*>(info.data_ptr());
  if (l.rows <= kSmallMatrixCuda) return small_cholesky_cuda(l, infos, upper);
  const cusolver::Functions& f = cusolver::functions();
  const cusolver::Handle handle = cusolver::handle();
  const int uplo = upper ? cublas::kUpper : cublas::kLower;
  if (l.count > 1 && l.rows <= kBatchedOrder) {
    const Tensor all = addresses(l);
    cusolver::check(
        f.typed[type_index(l.type)].potrf_batched(handle, uplo, vendor_int(l.rows), pointers(all),
                                                  vendor_int(l.ld), infos, vendor_int(l.count)),
        "cusolverDnpotrfBatched");
  } else {
    const int type = vendor_type(l.type);
    with_workspaces(l.device, [&](size_t* on_device, size_t* on_host) {
      cusolver::check(f.potrf_size(handle, cusolver::params(), uplo, l.rows, type, l[0], l.ld, type,
                                   on_device, on_host),
                      "cusolverDnXpotrf_bufferSize");
    }, [&](void* memory, size_t bytes, void* host_memory, size_t host_bytes) {
      for (int64_t b = 0; b < l.count; ++b)
        cusolver::check(f.potrf(handle, cusolver::params(), uplo, l.rows, type, l[b], l.ld, type,
                                memory, bytes, host_memory, host_bytes, infos + b),
                        "cusolverDnXpotrf");
    });
  }
  keep_triangle_cuda(l, upper);
}

void solve_factors(const ColumnMatrices& l, const ColumnMatrices& x, bool upper) {
  // L L^H, or U^H U: the lower triangle is solved first.
  const TriangularOptions options{true, upper, false};
  solve_triangles_cuda(l, x, options, upper ? cublas::kConjugateTranspose : cublas::kNone);
  solve_triangles_cuda(l, x, options, upper ? cublas::kNone : cublas::kConjugateTranspose);
}

void cholesky_solve_cuda(const Tensor& L, const Tensor& X, bool upper) {
  c10::OptionalDeviceGuard guard(X.device());
  if (X.numel() == 0) return;
  solve_factors(ColumnMatrices(as_column_matrices(L)), ColumnMatrices(X), upper);
}

void cholesky_inverse_cuda(const Tensor& X, bool upper) {
  c10::OptionalDeviceGuard guard(X.device());
  if (X.numel() == 0) return;
  const ColumnMatrices factors(copy_by_columns(X)), x(X);
  Tensor info = empty_tensor(batch_sizes(X), kInt, X.device());
  find_zero_on_diagonal_cuda(x, static_cast<int*>(info.data_ptr()));
  int64_t index = -1, value = 0;
  first_error_stub(X.device().type(), info, index, value);
  TORCH_CHECK_LINALG(index < 0, "cholesky_inverse: (Batch element ", index,
                     "): the diagonal element ", value,
                     " is zero, so the inverse could not be computed");
  set_identity_cuda(x);
  solve_factors(factors, x, upper);
}

}  // namespace

REGISTER_CUDA_DISPATCH(cholesky_stub, &cholesky_cuda)
REGISTER_CUDA_DISPATCH(cholesky_solve_stub, &cholesky_solve_cuda)
REGISTER_CUDA_DISPATCH(cholesky_inverse_stub, &cholesky_inverse_cuda)

}  // namespace at::native
