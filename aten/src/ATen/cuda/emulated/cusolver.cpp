// cuSOLVER for the emulated device: the same arguments and errors, and LAPACK does the work when
// the stream comes to it.

#include <algorithm>

#include <ATen/cuda/CusolverApi.h>

#include "LapackCalls.h"
#include "cusolver_typed.h"

namespace at::cuda::cusolver {
namespace {

using native::is_complex_type;
using native::Lapack;
using native::Real;
using native::Scratch;

constexpr Status kInvalidValue = 3;
// What the answers about workspaces say: a caller that gives less is refused. The work itself has
// memory of its own.
constexpr size_t kOnDevice = 1000, kOnHost = 100;

Status create(Handle* handle) {
  *handle = new EmulatedHandle;
  return 0;
}
Status destroy(Handle handle) {
  delete static_cast<EmulatedHandle*>(handle);
  return 0;
}
Status set_stream(Handle handle, cudaStream_t stream) {
  static_cast<EmulatedHandle*>(handle)->stream = stream;
  return 0;
}
Status create_options(void** made) {
  *made = new char;
  return 0;
}
Status destroy_options(void* made) {
  delete static_cast<char*>(made);
  return 0;
}

Status answer(bool is_valid, size_t* on_device, size_t* on_host) {
  if (!is_valid) return kInvalidValue;
  *on_device = kOnDevice;
  *on_host = kOnHost;
  return 0;
}
bool is_enough(const void* device_work, size_t on_device, const void* host_work, size_t on_host) {
  return device_work && on_device >= kOnDevice && host_work && on_host >= kOnHost;
}
bool is_ld(int64_t ld, int64_t rows) { return ld >= std::max<int64_t>(1, rows); }
int narrow(int64_t n) { return native::lapack_int(n); }

Status potrf_size(Handle, Params, int, int64_t n, int, const void*, int64_t lda, int, size_t* d,
                  size_t* h) {
  return answer(n >= 0 && is_ld(lda, n), d, h);
}
Status potrf(Handle handle, Params, int uplo, int64_t n, int type, void* a, int64_t lda, int,
             void* dw, size_t d, void* hw, size_t h, int* info) {
  if (n < 0 || !is_ld(lda, n) || !is_enough(dw, d, hw, h)) return kInvalidValue;
  return with_type(type, [&]<typename T>(TypeTag<T>) {
    return enqueue_work(handle, "cusolverDnXpotrf", [=] {
      static const Lapack<T> potrf("potrf");
      potrf(fill_letter(uplo), narrow(n), static_cast<T*>(a), narrow(lda), info);
    });
  });
}

Status getrf_size(Handle, Params, int64_t m, int64_t n, int, const void*, int64_t lda, int,
                  size_t* d, size_t* h) {
  return answer(m >= 0 && n >= 0 && is_ld(lda, m), d, h);
}
Status getrf(Handle handle, Params, int64_t m, int64_t n, int type, void* a, int64_t lda,
             int64_t* pivots, int, void* dw, size_t d, void* hw, size_t h, int* info) {
  if (m < 0 || n < 0 || !is_ld(lda, m) || !is_enough(dw, d, hw, h)) return kInvalidValue;
  return with_type(type, [&]<typename T>(TypeTag<T>) {
    return enqueue_work(handle, "cusolverDnXgetrf", [=] {
      Scratch<int> found(std::min(m, n));
      factor_lu(narrow(m), narrow(n), static_cast<T*>(a), narrow(lda),
                pivots ? found.get() : nullptr, info);
      if (pivots) std::copy_n(found.get(), std::min(m, n), pivots);
    });
  });
}

Status geqrf_size(Handle, Params, int64_t m, int64_t n, int, const void*, int64_t lda, int,
                  const void*, int, size_t* d, size_t* h) {
  return answer(m >= 0 && n >= 0 && is_ld(lda, m), d, h);
}
Status geqrf(Handle handle, Params, int64_t m, int64_t n, int type, void* a, int64_t lda,
             int type_tau, void* tau, int, void* dw, size_t d, void* hw, size_t h, int* info) {
  if (m < 0 || n < 0 || !is_ld(lda, m) || type_tau != type || !is_enough(dw, d, hw, h))
    return kInvalidValue;
  return with_type(type, [&]<typename T>(TypeTag<T>) {
    return enqueue_work(handle, "cusolverDnXgeqrf", [=] {
      static const Lapack<T> geqrf("geqrf");
      const int lwork = narrow(std::max<int64_t>(1, n) * 64);
      Scratch<T> work(lwork);
      geqrf(narrow(m), narrow(n), static_cast<T*>(a), narrow(lda), static_cast<T*>(tau), work.get(),
            lwork, info);
    });
  });
}

// The type of the real parts.
int real_type(int type) {
  return type == cublas::kC32F ? cublas::kR32F : type == cublas::kC64F ? cublas::kR64F : type;
}

Status syev_batched_size(Handle, Params, int, int, int64_t n, int type, const void*, int64_t lda,
                         int type_w, const void*, int, size_t* d, size_t* h, int64_t count) {
  return answer(n >= 0 && count >= 0 && is_ld(lda, n) && type_w == real_type(type), d, h);
}
Status syev_batched(Handle handle, Params params, int mode, int uplo, int64_t n, int type, void* a,
                    int64_t lda, int type_w, void* w, int compute, void* dw, size_t d, void* hw,
                    size_t h, int* info, int64_t count) {
  size_t device_size, host_size;
  if (syev_batched_size(handle, params, mode, uplo, n, type, a, lda, type_w, w, compute,
                        &device_size, &host_size, count) ||
      !is_enough(dw, d, hw, h))
    return kInvalidValue;
  return with_type(type, [&]<typename T>(TypeTag<T>) {
    return enqueue_work(handle, "cusolverDnXsyevBatched", [=] {
      using R = Real<T>;
      static const Lapack<T> syev("syev", "heev");
      const int lwork = narrow(std::max<int64_t>(1, n) * 64), size = narrow(n), ld = narrow(lda);
      Scratch<T> work(lwork);
      Scratch<R> rwork(3 * n + 1);
      const char job = mode == kVectors ? 'V' : 'N', triangle = fill_letter(uplo);
      for (int64_t b = 0; b < count; ++b) {
        T* matrix = static_cast<T*>(a) + b * lda * n;
        R* values = static_cast<R*>(w) + b * n;
        if constexpr (is_complex_type<T>)
          syev(job, triangle, size, matrix, ld, values, work.get(), lwork, rwork.get(), info + b);
        else syev(job, triangle, size, matrix, ld, values, work.get(), lwork, info + b);
      }
    });
  });
}
Status syevd_size(Handle handle, Params params, int mode, int uplo, int64_t n, int type,
                  const void* a, int64_t lda, int type_w, const void* w, int compute, size_t* d,
                  size_t* h) {
  return syev_batched_size(handle, params, mode, uplo, n, type, a, lda, type_w, w, compute, d, h,
                           1);
}
Status syevd(Handle handle, Params params, int mode, int uplo, int64_t n, int type, void* a,
             int64_t lda, int type_w, void* w, int compute, void* dw, size_t d, void* hw, size_t h,
             int* info) {
  return syev_batched(handle, params, mode, uplo, n, type, a, lda, type_w, w, compute, dw, d, hw, h,
                      info, 1);
}

Status gesvd_size(Handle, Params, signed char job_u, signed char job_vh, int64_t m, int64_t n,
                  int type, const void*, int64_t lda, int type_s, const void*, int type_u,
                  const void*, int64_t ldu, int type_vh, const void*, int64_t ldvh, int, size_t* d,
                  size_t* h) {
  return answer(m >= n && n >= 0 && is_ld(lda, m) && type_s == real_type(type) && type_u == type &&
                    type_vh == type && (job_u == 'N' || is_ld(ldu, m)) &&
                    (job_vh == 'N' || is_ld(ldvh, n)),
                d, h);
}
Status gesvd(Handle handle, Params params, signed char job_u, signed char job_vh, int64_t m,
             int64_t n, int type, void* a, int64_t lda, int type_s, void* s, int type_u, void* u,
             int64_t ldu, int type_vh, void* vh, int64_t ldvh, int compute, void* dw, size_t d,
             void* hw, size_t h, int* info) {
  size_t device_size, host_size;
  if (gesvd_size(handle, params, job_u, job_vh, m, n, type, a, lda, type_s, s, type_u, u, ldu,
                 type_vh, vh, ldvh, compute, &device_size, &host_size) ||
      !is_enough(dw, d, hw, h))
    return kInvalidValue;
  return with_type(type, [&]<typename T>(TypeTag<T>) {
    return enqueue_work(handle, "cusolverDnXgesvd", [=] {
      using R = Real<T>;
      static const Lapack<T> gesvd("gesvd");
      const int lwork = narrow(std::max<int64_t>(1, m + n) * 64);
      Scratch<T> work(lwork);
      Scratch<R> rwork(5 * n + 1);
      const auto call = [&](auto... rest) {
        gesvd(static_cast<char>(job_u), static_cast<char>(job_vh), narrow(m), narrow(n),
              static_cast<T*>(a), narrow(lda), static_cast<R*>(s), static_cast<T*>(u), narrow(ldu),
              static_cast<T*>(vh), narrow(ldvh), work.get(), lwork, rest..., info);
      };
      if constexpr (is_complex_type<T>) call(rwork.get());
      else call();
    });
  });
}

int complex_type(int type) {
  return real_type(type) == cublas::kR32F ? cublas::kC32F : cublas::kC64F;
}

Status geev_size(Handle, Params, int left, int, int64_t n, int type, const void*, int64_t lda,
                 int type_w, const void*, int, const void*, int64_t, int type_vr, const void*,
                 int64_t ldvr, int, size_t* d, size_t* h) {
  return answer(left == kNoVectors && n >= 0 && is_ld(lda, n) && is_ld(ldvr, n) &&
                    type_w == complex_type(type) && type_vr == type,
                d, h);
}
Status geev(Handle handle, Params params, int left, int right, int64_t n, int type, void* a,
            int64_t lda, int type_w, void* w, int type_vl, void* vl, int64_t ldvl, int type_vr,
            void* vr, int64_t ldvr, int compute, void* dw, size_t d, void* hw, size_t h,
            int* info) {
  size_t device_size, host_size;
  if (geev_size(handle, params, left, right, n, type, a, lda, type_w, w, type_vl, vl, ldvl, type_vr,
                vr, ldvr, compute, &device_size, &host_size) ||
      !is_enough(dw, d, hw, h))
    return kInvalidValue;
  return with_type(type, [&]<typename T>(TypeTag<T>) {
    return enqueue_work(handle, "cusolverDnXgeev", [=] {
      using R = Real<T>;
      static const Lapack<T> geev("geev");
      const int lwork = narrow(std::max<int64_t>(1, n) * 64), size = narrow(n), ld = narrow(lda);
      Scratch<T> work(lwork), unused(1);
      Scratch<R> first(2 * n + 1), second(n + 1);
      const char job = right == kVectors ? 'V' : 'N';
      auto* values = static_cast<c10::complex<R>*>(w);
      T* vectors = static_cast<T*>(vr);
      if constexpr (is_complex_type<T>) {
        geev('N', job, size, static_cast<T*>(a), ld, values, unused.get(), 1, vectors, narrow(ldvr),
             work.get(), lwork, first.get(), info);
      } else {
        geev('N', job, size, static_cast<T*>(a), ld, first.get(), second.get(), unused.get(), 1,
             vectors, narrow(ldvr), work.get(), lwork, info);
        for (int64_t i = 0; i < n; ++i) values[i] = {first.get()[i], second.get()[i]};
      }
    });
  });
}

}  // namespace

const Functions& functions() {
  static const Functions all{
      create,
      destroy,
      set_stream,
      create_options,
      create_options,
      destroy_options,
      potrf_size,
      potrf,
      getrf_size,
      getrf,
      geqrf_size,
      geqrf,
      syevd_size,
      syevd,
      syev_batched_size,
      syev_batched,
      gesvd_size,
      gesvd,
      geev_size,
      geev,
      {emulated_functions<float>(), emulated_functions<double>(),
       emulated_functions<c10::complex<float>>(), emulated_functions<c10::complex<double>>()}};
  return all;
}

}  // namespace at::cuda::cusolver
