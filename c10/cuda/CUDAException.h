#pragma once
// Errors of the CUDA runtime as exceptions.
//
//   C10_CUDA_CHECK(cudaMemcpyAsync(...));

#include <string>

#include <c10/core/DeviceErrors.h>
#include <c10/cuda/CUDAMacros.h>
#include <cuda_runtime_api.h>

namespace c10::cuda {

[[noreturn]] C10_COLD void fail_cuda(cudaError_t error, const char* call, const char* file,
                                     int line);

// Errors name what this returns, unless it is empty: the operator that runs.
void name_operators_by(std::string (*running)());

}  // namespace c10::cuda

#define C10_CUDA_CHECK(call)                                             \
  do {                                                                   \
    const cudaError_t c10_cuda_error = (call);                           \
    if (C10_UNLIKELY(c10_cuda_error != cudaSuccess))                     \
      ::c10::cuda::fail_cuda(c10_cuda_error, #call, __FILE__, __LINE__); \
  } while (false)
// Where an exception is not possible.
#define C10_CUDA_IGNORE(call)                            \
  do {                                                   \
    if ((call) != cudaSuccess) (void)cudaGetLastError(); \
  } while (false)
// After a launch by <<<>>>.
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
