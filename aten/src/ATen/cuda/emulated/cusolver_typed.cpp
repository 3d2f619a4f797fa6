// The functions of cuSOLVER that have a form for each type, for the emulated device: LAPACK does
// the work when the stream comes to it.

#include <algorithm>

#include "cusolver_typed.h"

#include <ATen/native/common/cpu/SmallMatrices.h>

#include "LapackCalls.h"

namespace at::cuda::cusolver {
namespace {

using native::is_complex_type;
using native::Lapack;
using native::Real;
using native::Scratch;

constexpr Status kInvalidValue = 3;
constexpr int kWorkPerColumn = 64;  // what the answers about workspaces say

template <typename T>
struct Typed {
  using R = Real<T>;

  static Status potrf_batched(Handle handle, int uplo, int n, void* const* a, int lda, int* info,
                              int count) {
    if (n < 0 || lda < std::max(1, n) || count < 0) return kInvalidValue;
    return enqueue_work(handle, "cusolverDnpotrfBatched", [=] {
      static const Lapack<T> potrf("potrf");
      for (int b = 0; b < count; ++b)
        potrf(fill_letter(uplo), n, static_cast<T*>(a[b]), lda, info + b);
    });
  }

  static Status orgqr_size(Handle, int m, int n, int k, const void*, int lda, const void*,
                           int* lwork) {
    if (m < n || n < k || k < 0 || lda < std::max(1, m)) return kInvalidValue;
    *lwork = std::max(1, n) * kWorkPerColumn;
    return 0;
  }
  static Status orgqr(Handle handle, int m, int n, int k, void* a, int lda, const void* tau,
                      void* work, int lwork, int* info) {
    int needed = 0;
    if (orgqr_size(handle, m, n, k, a, lda, tau, &needed) || lwork < needed) return kInvalidValue;
    return enqueue_work(handle, "cusolverDnorgqr", [=] {
      static const Lapack<T> orgqr("orgqr", "ungqr");
      orgqr(m, n, k, static_cast<T*>(a), lda, static_cast<const T*>(tau), static_cast<T*>(work),
            lwork, info);
    });
  }

  static Status ormqr_size(Handle, int side, int op, int m, int n, int k, const void*, int lda,
                           const void*, const void*, int ldc, int* lwork) {
    const int order = side == cublas::kLeft ? m : n;
    if (order < k || k < 0 || lda < std::max(1, order) || ldc < std::max(1, m) ||
        op == (is_complex_type<T> ? int{cublas::kTranspose} : int{cublas::kConjugateTranspose}))
      return kInvalidValue;
    *lwork = std::max({1, m, n}) * kWorkPerColumn;
    return 0;
  }
  static Status ormqr(Handle handle, int side, int op, int m, int n, int k, const void* a, int lda,
                      const void* tau, void* c, int ldc, void* work, int lwork, int* info) {
    int needed = 0;
    if (ormqr_size(handle, side, op, m, n, k, a, lda, tau, c, ldc, &needed) || lwork < needed)
      return kInvalidValue;
    return enqueue_work(handle, "cusolverDnormqr", [=] {
      static const Lapack<T> ormqr("ormqr", "unmqr");
      // LAPACK changes the reflectors while it works; cuSOLVER may not.
      Scratch<T> size(1), buffer(lwork + (int64_t{65} * 64));
      ormqr(side_letter(side), operation_letter(op), m, n, k, static_cast<const T*>(a), lda,
            static_cast<const T*>(tau), static_cast<T*>(c), ldc, buffer.get(), lwork + 65 * 64,
            info);
      static_cast<void>(work);
    });
  }

  // U S V^H; V has n rows.
  static void svd(int mode, int econ, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* v,
                  int ldv, int* info) {
    const int k = std::min(m, n), columns = econ ? k : n;
    Scratch<T> vh(int64_t{columns} * n), work(std::max<int64_t>(1, int64_t{m + n} * 64));
    Scratch<R> rwork(int64_t{5} * k + 1);
    static const Lapack<T> gesvd("gesvd");
    const char job = mode == kNoVectors ? 'N' : econ ? 'S' : 'A';
    const int lwork = std::max(1, (m + n) * 64), ldvh = std::max(1, columns);
    if constexpr (is_complex_type<T>)
      gesvd(job, job, m, n, a, lda, s, u, ldu, vh.get(), ldvh, work.get(), lwork, rwork.get(),
            info);
    else gesvd(job, job, m, n, a, lda, s, u, ldu, vh.get(), ldvh, work.get(), lwork, info);
    if (mode == kNoVectors) return;
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < n; ++i)
        v[i + j * ldv] = native::conj_value(vh.get()[j + i * columns]);
  }

  static Status gesvdj_size(Handle, int mode, int econ, int m, int n, const void*, int lda,
                            const void*, const void*, int ldu, const void*, int ldv, int* lwork,
                            Jacobi) {
    static_cast<void>(econ);
    if (m < 0 || n < 0 || lda < std::max(1, m) ||
        (mode == kVectors && (ldu < std::max(1, m) || ldv < std::max(1, n))))
      return kInvalidValue;
    *lwork = std::max(1, m + n) * kWorkPerColumn;
    return 0;
  }
  static Status gesvdj(Handle handle, int mode, int econ, int m, int n, void* a, int lda, void* s,
                       void* u, int ldu, void* v, int ldv, void*, int lwork, int* info,
                       Jacobi jacobi) {
    int needed = 0;
    if (gesvdj_size(handle, mode, econ, m, n, a, lda, s, u, ldu, v, ldv, &needed, jacobi) ||
        lwork < needed)
      return kInvalidValue;
    return enqueue_work(handle, "cusolverDngesvdj", [=] {
      svd(mode, econ, m, n, static_cast<T*>(a), lda, static_cast<R*>(s), static_cast<T*>(u), ldu,
          static_cast<T*>(v), ldv, info);
    });
  }

  static Status gesvdj_batched_size(Handle handle, int mode, int m, int n, const void* a, int lda,
                                    const void* s, const void* u, int ldu, const void* v, int ldv,
                                    int* lwork, Jacobi jacobi, int) {
    if (m > 32 || n > 32) return kInvalidValue;
    return gesvdj_size(handle, mode, 0, m, n, a, lda, s, u, ldu, v, ldv, lwork, jacobi);
  }
  static Status gesvdj_batched(Handle handle, int mode, int m, int n, void* a, int lda, void* s,
                               void* u, int ldu, void* v, int ldv, void*, int lwork, int* info,
                               Jacobi jacobi, int count) {
    int needed = 0;
    if (gesvdj_batched_size(handle, mode, m, n, a, lda, s, u, ldu, v, ldv, &needed, jacobi,
                            count) ||
        lwork < needed)
      return kInvalidValue;
    return enqueue_work(handle, "cusolverDngesvdjBatched", [=] {
      for (int64_t b = 0; b < count; ++b)
        svd(mode, 0, m, n, static_cast<T*>(a) + b * lda * n, lda,
            static_cast<R*>(s) + b * std::min(m, n), static_cast<T*>(u) + b * ldu * m, ldu,
            static_cast<T*>(v) + b * ldv * n, ldv, info + b);
    });
  }

  static Status gesvda_size(Handle, int mode, int rank, int m, int n, const void*, int lda,
                            long long, const void*, long long, const void*, int ldu, long long,
                            const void*, int ldv, long long, int* lwork, int) {
    if (m < n || rank != n || lda < std::max(1, m) ||
        (mode == kVectors && (ldu < std::max(1, m) || ldv < std::max(1, n))))
      return kInvalidValue;
    *lwork = std::max(1, m + n) * kWorkPerColumn;
    return 0;
  }
  static Status gesvda(Handle handle, int mode, int rank, int m, int n, const void* a, int lda,
                       long long step_a, void* s, long long step_s, void* u, int ldu,
                       long long step_u, void* v, int ldv, long long step_v, void*, int lwork,
                       int* info, double*, int count) {
    int needed = 0;
    if (gesvda_size(handle, mode, rank, m, n, a, lda, step_a, s, step_s, u, ldu, step_u, v, ldv,
                    step_v, &needed, count) ||
        lwork < needed)
      return kInvalidValue;
    return enqueue_work(handle, "cusolverDngesvdaStridedBatched", [=] {
      for (int64_t b = 0; b < count; ++b) {
        // The matrix is an input here.
        Scratch<T> copy(int64_t{lda} * n);
        std::memcpy(copy.get(), static_cast<const T*>(a) + b * step_a, sizeof(T) * lda * n);
        svd(mode, 1, m, n, copy.get(), lda, static_cast<R*>(s) + b * step_s,
            static_cast<T*>(u) + b * step_u, ldu, static_cast<T*>(v) + b * step_v, ldv, info + b);
      }
    });
  }
};

}  // namespace

template <typename T>
TypedFunctions emulated_functions() {
  using F = Typed<T>;
  return {F::potrf_batched,  F::orgqr_size,  F::orgqr,  F::ormqr_size,
          F::ormqr,          F::gesvdj_size, F::gesvdj, F::gesvdj_batched_size,
          F::gesvdj_batched, F::gesvda_size, F::gesvda};
}

template TypedFunctions emulated_functions<float>();
template TypedFunctions emulated_functions<double>();
template TypedFunctions emulated_functions<c10::complex<float>>();
template TypedFunctions emulated_functions<c10::complex<double>>();

}  // namespace at::cuda::cusolver
