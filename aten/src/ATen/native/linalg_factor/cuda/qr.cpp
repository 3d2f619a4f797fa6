// Householder reflectors on CUDA devices, by cuSOLVER.

#include <ATen/cuda/CusolverApi.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/common/cuda/Workspaces.h>
#include <ATen/native/linalg_factor/cuda/elements.h>
#include <ATen/native/linalg_factor/cuda/qr.h>
#include <ATen/native/linalg_factor/cuda/small.h>
#include <ATen/native/linalg_factor/linalg_factor.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {

namespace cublas = cuda::cublas;
namespace cusolver = cuda::cusolver;

namespace {

// tau of matrix b.
char* tau_of(const Tensor& tau, int64_t b) {
  return static_cast<char*>(tau.data_ptr()) +
         b * tau.sizes().back() * static_cast<int64_t>(elementSize(tau.scalar_type()));
}

// Where the library says what it thinks of the arguments; nobody reads it.
Tensor unread_info(Device device) { return empty_tensor({1}, kInt, device); }

Tensor elements(int64_t n, const ColumnMatrices& a) {
  return empty_tensor({std::max<int64_t>(n, 1)}, a.type, a.device);
}

}  // namespace

void factor_qr_cuda(const ColumnMatrices& a, const Tensor& tau) {
  if (std::max(a.rows, a.columns) <= kSmallMatrixCuda) return small_qr_cuda(a, tau.data_ptr());
  const cusolver::Functions& f = cusolver::functions();
  const cusolver::Handle handle = cusolver::handle();
  const int type = vendor_type(a.type);
  const Tensor info = unread_info(a.device);
  with_workspaces(a.device, [&](size_t* on_device, size_t* on_host) {
    cusolver::check(f.geqrf_size(handle, cusolver::params(), a.rows, a.columns, type, a[0], a.ld,
                                 type, tau.data_ptr(), type, on_device, on_host),
                    "cusolverDnXgeqrf_bufferSize");
  }, [&](void* memory, size_t bytes, void* host_memory, size_t host_bytes) {
    for (int64_t b = 0; b < a.count; ++b)
      cusolver::check(f.geqrf(handle, cusolver::params(), a.rows, a.columns, type, a[b], a.ld, type,
                              tau_of(tau, b), type, memory, bytes, host_memory, host_bytes,
                              static_cast<int*>(info.data_ptr())),
                      "cusolverDnXgeqrf");
  });
}

void multiply_by_reflectors_cuda(const ColumnMatrices& v, const Tensor& tau,
                                 const ColumnMatrices& c, bool left, bool transpose) {
  const cusolver::TypedFunctions& f = cusolver::functions().typed[type_index(c.type)];
  const cusolver::Handle handle = cusolver::handle();
  const int side = left ? cublas::kLeft : cublas::kRight,
            op = !transpose              ? cublas::kNone
                 : isComplexType(c.type) ? cublas::kConjugateTranspose
                                         : cublas::kTranspose,
            m = vendor_int(c.rows), n = vendor_int(c.columns), k = vendor_int(tau.sizes().back()),
            ldv = vendor_int(v.ld), ldc = vendor_int(c.ld);
  int lwork = 0;
  cusolver::check(
      f.ormqr_size(handle, side, op, m, n, k, v[0], ldv, tau.data_ptr(), c[0], ldc, &lwork),
      "cusolverDnormqr_bufferSize");
  const Tensor work = elements(lwork, c), info = unread_info(c.device);
  for (int64_t b = 0; b < c.count; ++b)
    cusolver::check(f.ormqr(handle, side, op, m, n, k, v[b], ldv, tau_of(tau, b), c[b], ldc,
                            work.data_ptr(), lwork, static_cast<int*>(info.data_ptr())),
                    "cusolverDnormqr");
}

static void geqrf_cuda(const Tensor& a, const Tensor& tau) {
  if (a.numel() == 0) return;
  c10::OptionalDeviceGuard guard(a.device());
  factor_qr_cuda(ColumnMatrices(a), tau);
}

static void householder_cuda(const Tensor& Q, const Tensor& tau) {
  if (Q.numel() == 0) return;
  c10::OptionalDeviceGuard guard(Q.device());
  const ColumnMatrices q(Q);
  if (tau.sizes().back() == 0) return set_identity_cuda(q);
  if (q.rows <= kSmallMatrixCuda)
    return small_reflectors_cuda(q, tau.data_ptr(), tau.sizes().back());
  const cusolver::TypedFunctions& f = cusolver::functions().typed[type_index(q.type)];
  const cusolver::Handle handle = cusolver::handle();
  const int m = vendor_int(q.rows), n = vendor_int(q.columns), k = vendor_int(tau.sizes().back()),
            ld = vendor_int(q.ld);
  int lwork = 0;
  cusolver::check(f.orgqr_size(handle, m, n, k, q[0], ld, tau.data_ptr(), &lwork),
                  "cusolverDnorgqr_bufferSize");
  const Tensor work = elements(lwork, q), info = unread_info(q.device);
  for (int64_t b = 0; b < q.count; ++b)
    cusolver::check(f.orgqr(handle, m, n, k, q[b], ld, tau_of(tau, b), work.data_ptr(), lwork,
                            static_cast<int*>(info.data_ptr())),
                    "cusolverDnorgqr");
}

static void ormqr_cuda(const Tensor& reflectors, const Tensor& tau, const Tensor& C, bool left,
                       bool transpose) {
  if (C.numel() == 0 || tau.sizes().back() == 0) return;
  c10::OptionalDeviceGuard guard(C.device());
  multiply_by_reflectors_cuda(ColumnMatrices(as_column_matrices(reflectors)), tau,
                              ColumnMatrices(C), left, transpose);
}

REGISTER_CUDA_DISPATCH(geqrf_stub, &geqrf_cuda)
REGISTER_CUDA_DISPATCH(householder_stub, &householder_cuda)
REGISTER_CUDA_DISPATCH(ormqr_stub, &ormqr_cuda)

}  // namespace at::native
