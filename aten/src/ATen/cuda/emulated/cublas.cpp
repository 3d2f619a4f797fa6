// cuBLAS for the emulated device: the same arguments and error codes, computed by the CPU's GEMM
// when the stream comes to it.

#include <cstring>
#include <vector>

#include <ATen/cuda/CublasApi.h>
#include <ATen/native/common/Gemm.h>
#include <cuda_runtime.h>

#include "CublasStatus.h"
#include "LapackCalls.h"

namespace at::cuda::cublas {
namespace {

using namespace emulated;

struct HandleState : EmulatedHandle {
  int pointer_mode = kHost;
};
HandleState& state(Handle handle) { return *static_cast<HandleState*>(handle); }

Status create(Handle* handle) {
  *handle = new HandleState;
  return kSuccess;
}
Status destroy(Handle handle) {
  delete static_cast<HandleState*>(handle);
  return kSuccess;
}
// The CPU's products need none.
Status set_workspace(Handle, void*, size_t) { return kSuccess; }
Status set_stream(Handle handle, cudaStream_t stream) {
  state(handle).stream = stream;
  return kSuccess;
}
Status set_pointer_mode(Handle handle, int mode) {
  state(handle).pointer_mode = mode;
  return kSuccess;
}
bool type_of(int type, ScalarType& dtype) {
  switch (type) {
    case kR32F:
      dtype = kFloat;
      return true;
    case kR64F:
      dtype = kDouble;
      return true;
    case kR16F:
      dtype = kHalf;
      return true;
    case kR16BF:
      dtype = kBFloat16;
      return true;
    case kC32F:
      dtype = kComplexFloat;
      return true;
    case kC64F:
      dtype = kComplexDouble;
      return true;
    default:
      return false;
  }
}

// alpha and beta have the type of the computation.
native::ComplexDouble number(const void* at, ScalarType dtype) {
  switch (dtype) {
    case kDouble:
      return {*static_cast<const double*>(at), 0};
    case kComplexFloat: {
      const auto value = *static_cast<const c10::complex<float>*>(at);
      return {value.real(), value.imag()};
    }
    case kComplexDouble:
      return *static_cast<const native::ComplexDouble*>(at);
    default:
      return {*static_cast<const float*>(at), 0};
  }
}

// A column-major factor of a half type as floats, dense.
std::vector<float> widened(const void* data, ScalarType dtype, int64_t rows, int64_t columns,
                           int64_t ld) {
  std::vector<float> wide;
  wide.reserve(static_cast<size_t>(rows * columns));
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t at = column * ld + row;
      wide.push_back(dtype == kHalf
                         ? static_cast<float>(static_cast<const c10::Half*>(data)[at])
                         : static_cast<float>(static_cast<const c10::BFloat16*>(data)[at]));
    }
  }
  return wide;
}

Status gemm_batched(Handle handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                    const void* a, int type_a, int lda, long long step_a, const void* b, int type_b,
                    int ldb, long long step_b, const void* beta, void* c, int type_c, int ldc,
                    long long step_c, int count, int compute_type, int) {
  native::GemmArgs g{};
  if (!type_of(type_a, g.dtype)) return kNotSupported;
  const bool widens = type_c == kR32F && (g.dtype == kHalf || g.dtype == kBFloat16);
  if (type_b != type_a || (type_c != type_a && !widens) || op_a == kConjugateTranspose ||
      op_b == kConjugateTranspose || state(handle).pointer_mode != kHost)
    return kNotSupported;
  const bool is_wide = g.dtype == kDouble || g.dtype == kComplexDouble;
  if (is_wide != (compute_type == kCompute64F)) return kNotSupported;
  if (m < 0 || n < 0 || k < 0 || count < 0 || lda < std::max(1, op_a == kNone ? m : k) ||
      ldb < std::max(1, op_b == kNone ? k : n) || ldc < std::max(1, m))
    return kInvalidValue;
  // Column-major C = A B is row-major C' = B' A'.
  g.trans_a = op_b != kNone;
  g.trans_b = op_a != kNone;
  g.m = n;
  g.n = m;
  g.k = k;
  g.a = b;
  g.lda = ldb;
  g.b = a;
  g.ldb = lda;
  g.c = c;
  g.ldc = ldc;
  g.alpha = number(alpha, g.dtype);
  g.beta = number(beta, g.dtype);
  const auto error = torch_emulated_cuda::enqueue(state(handle).stream, [=] {
    if (widens) {
      for (int64_t i = 0; i < count; ++i) {
        auto part = [&](const void* from, long long step) {
          return static_cast<const char*>(from) + 2 * i * step;
        };
        const int64_t rows_a = op_a == kNone ? m : k, rows_b = op_b == kNone ? k : n;
        const auto wide_a = widened(part(a, step_a), g.dtype, rows_a, m + k - rows_a, lda),
                   wide_b = widened(part(b, step_b), g.dtype, rows_b, n + k - rows_b, ldb);
        native::GemmArgs one = g;
        one.dtype = kFloat;
        one.a = wide_b.data();
        one.lda = std::max<int64_t>(1, rows_b);
        one.b = wide_a.data();
        one.ldb = std::max<int64_t>(1, rows_a);
        one.c = static_cast<float*>(c) + i * step_c;
        native::gemm(one);
      }
      return;
    }
    native::gemm_batched(g, count, step_b, step_a, step_c);
  }, "cublasGemmStridedBatchedEx");
  return error == cudaSuccess ? kSuccess : kInvalidValue;
}

Status gemm(Handle handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
            const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
            const void* beta, void* c, int type_c, int ldc, int compute_type, int algorithm) {
  return gemm_batched(handle, op_a, op_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0,
                      beta, c, type_c, ldc, 0, 1, compute_type, algorithm);
}

template <bool conj>
Status dot(Handle handle, int n, const void* x, int type_x, int incx, const void* y, int type_y,
           int incy, void* result, int type_result, int) {
  ScalarType dtype;
  if (!type_of(type_x, dtype) || type_y != type_x || type_result != type_x ||
      state(handle).pointer_mode != kDevice)
    return kNotSupported;
  const auto error = torch_emulated_cuda::enqueue(state(handle).stream, [=] {
    native::dot_stub(kCPU, dtype, n, x, incx, y, incy, conj, result);
  }, "cublasDotEx");
  return error == cudaSuccess ? kSuccess : kInvalidValue;
}

template <typename T>
struct Typed {
  static bool are_valid(Handle handle, int side, int op, int m, int n, int lda, int ldb) {
    return m >= 0 && n >= 0 && lda >= std::max(1, side == kLeft ? m : n) && ldb >= std::max(1, m) &&
           op >= kNone && op <= kConjugateTranspose && state(handle).pointer_mode == kHost;
  }
  static void solve(int side, int uplo, int op, int diagonal, int m, int n, T alpha, const void* a,
                    int lda, void* b, int ldb) {
    static const native::Lapack<T> trsm("trsm");
    trsm(side_letter(side), fill_letter(uplo), operation_letter(op), diagonal == kUnit ? 'U' : 'N',
         m, n, alpha, static_cast<const T*>(a), lda, static_cast<T*>(b), ldb);
  }
  static Status trsm(Handle handle, int side, int uplo, int op, int diagonal, int m, int n,
                     const void* alpha, const void* a, int lda, void* b, int ldb) {
    if (!are_valid(handle, side, op, m, n, lda, ldb)) return kInvalidValue;
    return enqueue_work(handle, "cublastrsm", [=, alpha = *static_cast<const T*>(alpha)] {
      solve(side, uplo, op, diagonal, m, n, alpha, a, lda, b, ldb);
    });
  }
  static Status trsm_batched(Handle handle, int side, int uplo, int op, int diagonal, int m, int n,
                             const void* alpha, const void* const* a, int lda, void* const* b,
                             int ldb, int count) {
    if (count < 0 || !are_valid(handle, side, op, m, n, lda, ldb)) return kInvalidValue;
    return enqueue_work(handle, "cublastrsmBatched", [=, alpha = *static_cast<const T*>(alpha)] {
      for (int i = 0; i < count; ++i)
        solve(side, uplo, op, diagonal, m, n, alpha, a[i], lda, b[i], ldb);
    });
  }
  static Status getrf_batched(Handle handle, int n, void* const* a, int lda, int* pivots, int* info,
                              int count) {
    if (n < 0 || lda < std::max(1, n) || count < 0) return kInvalidValue;
    return enqueue_work(handle, "cublasgetrfBatched", [=] {
      for (int64_t i = 0; i < count; ++i)
        factor_lu(n, n, static_cast<T*>(a[i]), lda, pivots ? pivots + i * n : nullptr, info + i);
    });
  }
  static constexpr TypedFunctions functions() { return {trsm, trsm_batched, getrf_batched}; }
};

}  // namespace

const Functions& functions() {
  static const Functions all{
      create,
      destroy,
      set_stream,
      set_workspace,
      set_pointer_mode,
      status_name,
      gemm,
      gemm_batched,
      dot<false>,
      dot<true>,
      {Typed<float>::functions(), Typed<double>::functions(),
       Typed<c10::complex<float>>::functions(), Typed<c10::complex<double>>::functions()}};
  return all;
}

}  // namespace at::cuda::cublas
