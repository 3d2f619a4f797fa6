#pragma once
// Error codes of the stand-ins for cuBLAS and cuBLASLt.

#include <ATen/cuda/CublasApi.h>

namespace at::cuda::cublas::emulated {

constexpr Status kSuccess = 0, kInvalidValue = 7, kNotSupported = 15;

inline const char* status_name(Status status) {
  return status == kSuccess        ? "CUBLAS_STATUS_SUCCESS"
         : status == kInvalidValue ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == kNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                   : "CUBLAS_STATUS_INTERNAL_ERROR";
}

}  // namespace at::cuda::cublas::emulated
