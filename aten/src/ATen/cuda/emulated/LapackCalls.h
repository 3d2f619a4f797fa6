#pragma once
// What the stand-ins for NVIDIA's libraries share: LAPACK's types, and work that waits on a stream.

#include <cstring>
#include <type_traits>

#include <ATen/cuda/CublasApi.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <cuda_runtime.h>

namespace at::cuda {

// The stream that the handle's work goes to. Both libraries' handles begin with it.
struct EmulatedHandle {
  cudaStream_t stream = nullptr;
};

template <typename F>
int enqueue_work(void* handle, const char* name, F work) {
  const auto error = torch_emulated_cuda::enqueue(static_cast<EmulatedHandle*>(handle)->stream,
                                                  std::move(work), name);
  return error == cudaSuccess ? 0 : 7;  // INTERNAL_ERROR of cuSOLVER, INVALID_VALUE of cuBLAS
}

// f(TypeTag<T>{}) for the type of a matrix.
template <typename F>
int with_type(int type, const F& f) {
  switch (type) {
    case cublas::kR32F:
      return f(TypeTag<float>{});
    case cublas::kR64F:
      return f(TypeTag<double>{});
    case cublas::kC32F:
      return f(TypeTag<c10::complex<float>>{});
    case cublas::kC64F:
      return f(TypeTag<c10::complex<double>>{});
    default:
      return 3;  // INVALID_VALUE of cuSOLVER
  }
}

// A = P L U in place; L U without room for pivots.
template <typename T>
void factor_lu(int m, int n, T* a, int lda, int* pivots, int* info) {
  static const native::Lapack<T> getrf("getrf");
  if (pivots) return getrf(m, n, a, lda, pivots, info);
  *info = 0;
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    const T pivot = a[k + k * lda];
    if (pivot == T(0) && *info == 0) *info = static_cast<int>(k + 1);
    for (int64_t i = k + 1; i < m; ++i) {
      const T factor = a[i + k * lda] = a[i + k * lda] / pivot;
      for (int64_t j = k + 1; j < n; ++j) a[i + j * lda] -= factor * a[k + j * lda];
    }
  }
}

inline char fill_letter(int uplo) { return uplo == cublas::kUpper ? 'U' : 'L'; }
inline char side_letter(int side) { return side == cublas::kLeft ? 'L' : 'R'; }
inline char operation_letter(int op) {
  return op == cublas::kNone ? 'N' : op == cublas::kTranspose ? 'T' : 'C';
}

}  // namespace at::cuda
