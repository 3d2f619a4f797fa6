// Handles and errors of cuSOLVER.

#include <ATen/cuda/CusolverApi.h>
#include <ATen/cuda/HandlePool.h>
#include <c10/cuda/CUDAStream.h>

#if __has_include(<cusolverDn.h>) && __has_include(<cublas_v2.h>) && !defined(TORCH_CUDA_EMULATED)
#include <cusolverDn.h>

#include <ATen/cuda/SameSignature.h>
namespace at::cuda::cusolver {
static_assert(int{kNoVectors} == int{CUSOLVER_EIG_MODE_NOVECTOR});
static_assert(int{kVectors} == int{CUSOLVER_EIG_MODE_VECTOR});
static_assert(int{CUSOLVER_STATUS_SUCCESS} == 0);
AT_SAME_SIGNATURE(Functions::create, cusolverDnCreate);
AT_SAME_SIGNATURE(Functions::destroy, cusolverDnDestroy);
AT_SAME_SIGNATURE(Functions::set_stream, cusolverDnSetStream);
AT_SAME_SIGNATURE(Functions::create_params, cusolverDnCreateParams);
AT_SAME_SIGNATURE(Functions::create_jacobi, cusolverDnCreateGesvdjInfo);
AT_SAME_SIGNATURE(Functions::destroy_jacobi, cusolverDnDestroyGesvdjInfo);
AT_SAME_SIGNATURE(Functions::potrf_size, cusolverDnXpotrf_bufferSize);
AT_SAME_SIGNATURE(Functions::potrf, cusolverDnXpotrf);
AT_SAME_SIGNATURE(Functions::getrf_size, cusolverDnXgetrf_bufferSize);
AT_SAME_SIGNATURE(Functions::getrf, cusolverDnXgetrf);
AT_SAME_SIGNATURE(Functions::geqrf_size, cusolverDnXgeqrf_bufferSize);
AT_SAME_SIGNATURE(Functions::geqrf, cusolverDnXgeqrf);
AT_SAME_SIGNATURE(Functions::syevd_size, cusolverDnXsyevd_bufferSize);
AT_SAME_SIGNATURE(Functions::syevd, cusolverDnXsyevd);
AT_SAME_SIGNATURE(Functions::syev_batched_size, cusolverDnXsyevBatched_bufferSize);
AT_SAME_SIGNATURE(Functions::syev_batched, cusolverDnXsyevBatched);
AT_SAME_SIGNATURE(Functions::gesvd_size, cusolverDnXgesvd_bufferSize);
AT_SAME_SIGNATURE(Functions::gesvd, cusolverDnXgesvd);
AT_SAME_SIGNATURE(Functions::geev_size, cusolverDnXgeev_bufferSize);
AT_SAME_SIGNATURE(Functions::geev, cusolverDnXgeev);
AT_SAME_SIGNATURE(TypedFunctions::potrf_batched, cusolverDnCpotrfBatched);
AT_SAME_SIGNATURE(TypedFunctions::orgqr_size, cusolverDnCungqr_bufferSize);
AT_SAME_SIGNATURE(TypedFunctions::orgqr, cusolverDnCungqr);
AT_SAME_SIGNATURE(TypedFunctions::ormqr_size, cusolverDnSormqr_bufferSize);
AT_SAME_SIGNATURE(TypedFunctions::ormqr, cusolverDnCunmqr);
AT_SAME_SIGNATURE(TypedFunctions::gesvdj_size, cusolverDnZgesvdj_bufferSize);
AT_SAME_SIGNATURE(TypedFunctions::gesvdj, cusolverDnZgesvdj);
AT_SAME_SIGNATURE(TypedFunctions::gesvdj_batched_size, cusolverDnZgesvdjBatched_bufferSize);
AT_SAME_SIGNATURE(TypedFunctions::gesvdj_batched, cusolverDnZgesvdjBatched);
AT_SAME_SIGNATURE(TypedFunctions::gesvda_size, cusolverDnZgesvdaStridedBatched_bufferSize);
AT_SAME_SIGNATURE(TypedFunctions::gesvda, cusolverDnZgesvdaStridedBatched);
}  // namespace at::cuda::cusolver
#endif

namespace at::cuda::cusolver {
namespace {

const char* status_name(Status status) {
  // The library has no function for these names.
  static const char* const names[] = {
      "SUCCESS",          "NOT_INITIALIZED", "ALLOC_FAILED",
      "INVALID_VALUE",    "ARCH_MISMATCH",   "MAPPING_ERROR",
      "EXECUTION_FAILED", "INTERNAL_ERROR",  "MATRIX_TYPE_NOT_SUPPORTED",
      "NOT_SUPPORTED"};
  return status >= 0 && status < 10 ? names[status] : nullptr;
}

void* create() {
  Handle handle = nullptr;
  check(functions().create(&handle), "cusolverDnCreate");
  return handle;
}

}  // namespace

void check(Status status, const char* call) {
  if (status == 0) return;
  const char* name = status_name(status);
  TORCH_CHECK(!name, "CUDA error: CUSOLVER_STATUS_", name, " when calling `", call, "`");
  TORCH_CHECK(false, "CUDA error: cuSOLVER's status ", status, " when calling `", call, "`");
}

Handle handle() {
  const Handle handle = handle_of_thread<create>();
  check(functions().set_stream(handle, c10::cuda::getCurrentCUDAStream()), "cusolverDnSetStream");
  return handle;
}

// Nobody changes them, so that threads may share them.
Params params() {
  static const Params standard = [] {
    Params made = nullptr;
    check(functions().create_params(&made), "cusolverDnCreateParams");
    return made;
  }();
  return standard;
}

}  // namespace at::cuda::cusolver
