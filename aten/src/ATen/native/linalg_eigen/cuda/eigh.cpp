// Eigenvalues of Hermitian matrices on CUDA devices, by cuSOLVER.

#include <ATen/cuda/CusolverApi.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/common/cuda/Workspaces.h>
#include <ATen/native/linalg_eigen/cuda/finite.h>
#include <ATen/native/linalg_eigen/linalg_eigen.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {

namespace cublas = cuda::cublas;
namespace cusolver = cuda::cusolver;

// Up to this order one call for the whole batch is better than a call for each matrix.
static constexpr int64_t kBatchedOrder = 512;

static void eigh_cuda(const Tensor& A, const Tensor& values, const Tensor& info, bool upper,
                      bool vectors) {
  c10::OptionalDeviceGuard guard(A.device());
  if (A.numel() == 0) return set_zero(info);
  const ColumnMatrices a(A);
  check_finite_cuda(a, "linalg.eigh", upper ? MatrixPart::upper : MatrixPart::lower);
  const cusolver::Functions& f = cusolver::functions();
  const cusolver::Handle handle = cusolver::handle();
  const cusolver::Params params = cusolver::params();
  const int type = vendor_type(a.type), real = vendor_type(values.scalar_type()),
            mode = vectors ? cusolver::kVectors : cusolver::kNoVectors,
            uplo = upper ? cublas::kUpper : cublas::kLower;
  const int64_t n = a.rows, value_bytes = n * static_cast<int64_t>(values.element_size());
  char* w = static_cast<char*>(values.data_ptr());
  int* infos = static_cast<int*>(info.data_ptr());
  const bool batched = a.count > 1 && n <= kBatchedOrder;
  with_workspaces(a.device, [&](size_t* on_device, size_t* on_host) {
    if (batched)
      cusolver::check(f.syev_batched_size(handle, params, mode, uplo, n, type, a[0], a.ld, real, w,
                                          type, on_device, on_host, a.count),
                      "cusolverDnXsyevBatched_bufferSize");
    else
      cusolver::check(f.syevd_size(handle, params, mode, uplo, n, type, a[0], a.ld, real, w, type,
                                   on_device, on_host),
                      "cusolverDnXsyevd_bufferSize");
  }, [&](void* memory, size_t bytes, void* host_memory, size_t host_bytes) {
    if (batched)
      return cusolver::check(
          f.syev_batched(handle, params, mode, uplo, n, type, a[0], a.ld, real, w, type, memory,
                         bytes, host_memory, host_bytes, infos, a.count),
          "cusolverDnXsyevBatched");
    for (int64_t b = 0; b < a.count; ++b)
      cusolver::check(
          f.syevd(handle, params, mode, uplo, n, type, a[b], a.ld, real, w + b * value_bytes, type,
                  memory, bytes, host_memory, host_bytes, infos + b),
          "cusolverDnXsyevd");
  });
}

REGISTER_CUDA_DISPATCH(eigh_stub, &eigh_cuda)

}  // namespace at::native
