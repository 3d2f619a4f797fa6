#pragma once
// The part of cuSOLVER that the kernels call, declared here so that building needs no copy of it:
// libcusolver is opened on first use (CusolverLibrary.cpp). Enumerations are passed as int; those
// that cuBLAS has too, and the types of data, are in CublasApi.h.
// Source: the manual of cuSOLVER 12. CusolverLibrary.cpp compares values and arguments with the
// header of the library where that is installed.
//
// Matrices lie by columns in device memory, and so do the numbers of errors (`info`). A function
// of the 64-bit interface serves all types; its _size function says what workspaces it needs on
// the device and on the host. LU factors without pivoting have null as their pivots.

#include <cstdint>

#include <ATen/cuda/CublasApi.h>

namespace at::cuda::cusolver {

using Handle = void*;  // cusolverDnHandle_t
using Params = void*;  // cusolverDnParams_t
using Jacobi = void*;  // gesvdjInfo_t
using Status = int;    // cusolverStatus_t; 0 is success
using cublas::DataType;

enum EigMode : int { kNoVectors = 0, kVectors = 1 };

// Functions that have a form for each type.
struct TypedFunctions {
  Status (*potrf_batched)(Handle, int uplo, int n, void* const* a, int lda, int* info, int count);
  Status (*orgqr_size)(Handle, int m, int n, int k, const void* a, int lda, const void* tau,
                       int* lwork);
  Status (*orgqr)(Handle, int m, int n, int k, void* a, int lda, const void* tau, void* work,
                  int lwork, int* info);
  Status (*ormqr_size)(Handle, int side, int op, int m, int n, int k, const void* a, int lda,
                       const void* tau, const void* c, int ldc, int* lwork);
  Status (*ormqr)(Handle, int side, int op, int m, int n, int k, const void* a, int lda,
                  const void* tau, void* c, int ldc, void* work, int lwork, int* info);
  // A = U S V^H by Jacobi's method; `econ` is 1 for the reduced form. V is not transposed.
  Status (*gesvdj_size)(Handle, int mode, int econ, int m, int n, const void* a, int lda,
                        const void* s, const void* u, int ldu, const void* v, int ldv, int* lwork,
                        Jacobi);
  Status (*gesvdj)(Handle, int mode, int econ, int m, int n, void* a, int lda, void* s, void* u,
                   int ldu, void* v, int ldv, void* work, int lwork, int* info, Jacobi);
  // The same for dense batches of up to 32 x 32; U and V are complete.
  Status (*gesvdj_batched_size)(Handle, int mode, int m, int n, const void* a, int lda,
                                const void* s, const void* u, int ldu, const void* v, int ldv,
                                int* lwork, Jacobi, int count);
  Status (*gesvdj_batched)(Handle, int mode, int m, int n, void* a, int lda, void* s, void* u,
                           int ldu, void* v, int ldv, void* work, int lwork, int* info, Jacobi,
                           int count);
  // Through the eigenvalues of A^H A, for m >= n. `residuals`, on the host, may be null.
  Status (*gesvda_size)(Handle, int mode, int rank, int m, int n, const void* a, int lda,
                        long long step_a, const void* s, long long step_s, const void* u, int ldu,
                        long long step_u, const void* v, int ldv, long long step_v, int* lwork,
                        int count);
  Status (*gesvda)(Handle, int mode, int rank, int m, int n, const void* a, int lda,
                   long long step_a, void* s, long long step_s, void* u, int ldu, long long step_u,
                   void* v, int ldv, long long step_v, void* work, int lwork, int* info,
                   double* residuals, int count);
};

struct Functions {
  Status (*create)(Handle*);
  Status (*destroy)(Handle);
  Status (*set_stream)(Handle, cudaStream_t);
  Status (*create_params)(Params*);
  Status (*create_jacobi)(Jacobi*);
  Status (*destroy_jacobi)(Jacobi);

  Status (*potrf_size)(Handle, Params, int uplo, int64_t n, int type_a, const void* a, int64_t lda,
                       int compute_type, size_t* on_device, size_t* on_host);
  Status (*potrf)(Handle, Params, int uplo, int64_t n, int type_a, void* a, int64_t lda,
                  int compute_type, void* device_work, size_t on_device, void* host_work,
                  size_t on_host, int* info);
  Status (*getrf_size)(Handle, Params, int64_t m, int64_t n, int type_a, const void* a, int64_t lda,
                       int compute_type, size_t* on_device, size_t* on_host);
  Status (*getrf)(Handle, Params, int64_t m, int64_t n, int type_a, void* a, int64_t lda,
                  int64_t* pivots, int compute_type, void* device_work, size_t on_device,
                  void* host_work, size_t on_host, int* info);
  Status (*geqrf_size)(Handle, Params, int64_t m, int64_t n, int type_a, const void* a, int64_t lda,
                       int type_tau, const void* tau, int compute_type, size_t* on_device,
                       size_t* on_host);
  Status (*geqrf)(Handle, Params, int64_t m, int64_t n, int type_a, void* a, int64_t lda,
                  int type_tau, void* tau, int compute_type, void* device_work, size_t on_device,
                  void* host_work, size_t on_host, int* info);
  Status (*syevd_size)(Handle, Params, int mode, int uplo, int64_t n, int type_a, const void* a,
                       int64_t lda, int type_w, const void* w, int compute_type, size_t* on_device,
                       size_t* on_host);
  Status (*syevd)(Handle, Params, int mode, int uplo, int64_t n, int type_a, void* a, int64_t lda,
                  int type_w, void* w, int compute_type, void* device_work, size_t on_device,
                  void* host_work, size_t on_host, int* info);
  Status (*syev_batched_size)(Handle, Params, int mode, int uplo, int64_t n, int type_a,
                              const void* a, int64_t lda, int type_w, const void* w,
                              int compute_type, size_t* on_device, size_t* on_host, int64_t count);
  Status (*syev_batched)(Handle, Params, int mode, int uplo, int64_t n, int type_a, void* a,
                         int64_t lda, int type_w, void* w, int compute_type, void* device_work,
                         size_t on_device, void* host_work, size_t on_host, int* info,
                         int64_t count);
  // A = U S Vh for m >= n, by the QR iteration. jobs: 'A' complete, 'S' reduced, 'N' no vectors.
  Status (*gesvd_size)(Handle, Params, signed char job_u, signed char job_vh, int64_t m, int64_t n,
                       int type_a, const void* a, int64_t lda, int type_s, const void* s,
                       int type_u, const void* u, int64_t ldu, int type_vh, const void* vh,
                       int64_t ldvh, int compute_type, size_t* on_device, size_t* on_host);
  Status (*gesvd)(Handle, Params, signed char job_u, signed char job_vh, int64_t m, int64_t n,
                  int type_a, void* a, int64_t lda, int type_s, void* s, int type_u, void* u,
                  int64_t ldu, int type_vh, void* vh, int64_t ldvh, int compute_type,
                  void* device_work, size_t on_device, void* host_work, size_t on_host, int* info);
  // Right vectors only. Those of a real matrix are real: two columns, the real and the imaginary
  // part, for a conjugate pair of values. The values are complex here.
  Status (*geev_size)(Handle, Params, int left, int right, int64_t n, int type_a, const void* a,
                      int64_t lda, int type_w, const void* w, int type_vl, const void* vl,
                      int64_t ldvl, int type_vr, const void* vr, int64_t ldvr, int compute_type,
                      size_t* on_device, size_t* on_host);
  Status (*geev)(Handle, Params, int left, int right, int64_t n, int type_a, void* a, int64_t lda,
                 int type_w, void* w, int type_vl, void* vl, int64_t ldvl, int type_vr, void* vr,
                 int64_t ldvr, int compute_type, void* device_work, size_t on_device,
                 void* host_work, size_t on_host, int* info);

  TypedFunctions typed[4];  // float, double, complex float, complex double
};

// Opens the library. Throws if it is not there.
const Functions& functions();

// A handle of this thread and the current device that puts work on its current stream.
Handle handle();
Params params();
void check(Status status, const char* call);

}  // namespace at::cuda::cusolver
