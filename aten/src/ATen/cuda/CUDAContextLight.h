#pragma once
// What extensions ask of the current device: its properties, its memory, and handles of NVIDIA's
// libraries. A handle belongs to the thread and the device, and puts work on the current stream.

#include <ATen/cuda/CublasApi.h>
#include <ATen/cuda/CublasLtApi.h>
#include <ATen/cuda/CusolverApi.h>
#include <ATen/cuda/Exceptions.h>
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/PeerAccess.h>

// The types of handles are those of NVIDIA's headers, which need not be there.
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#else
struct cublasContext;
using cublasHandle_t = cublasContext*;
#endif
#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#else
struct cublasLtContext;
using cublasLtHandle_t = cublasLtContext*;
#endif
#if __has_include(<cusolverDn.h>)
#include <cusolverDn.h>
#else
struct cusolverDnContext;
using cusolverDnHandle_t = cusolverDnContext*;
#endif
#if __has_include(<cusparse.h>)
#include <cusparse.h>
#else
struct cusparseContext;
using cusparseHandle_t = cusparseContext*;
#endif

namespace at::cuda {

inline int64_t getNumGPUs() { return c10::cuda::device_count(); }
inline bool is_available() { return c10::cuda::device_count() > 0; }
inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
  // PyTorch's signature: nobody writes to it.
  return const_cast<cudaDeviceProp*>(
      &c10::cuda::device_properties(c10::cuda::device_or_current(device)));
}
inline cudaDeviceProp* getCurrentDeviceProperties() {
  return getDeviceProperties(c10::cuda::current_device());
}
inline int warp_size() { return getCurrentDeviceProperties()->warpSize; }
inline bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer) {
  return c10::cuda::can_access_peer(device, peer);
}
inline c10::Allocator* getCUDADeviceAllocator() { return c10::cuda::CUDACachingAllocator::get(); }

inline cublasHandle_t getCurrentCUDABlasHandle() {
  return static_cast<cublasHandle_t>(cublas::handle());
}
inline cublasLtHandle_t getCurrentCUDABlasLtHandle() {
  return static_cast<cublasLtHandle_t>(cublaslt::handle());
}
inline cusolverDnHandle_t getCurrentCUDASolverDnHandle() {
  return static_cast<cusolverDnHandle_t>(cusolver::handle());
}
[[noreturn]] inline cusparseHandle_t getCurrentCUDASparseHandle() {
  TORCH_CHECK_NOT_IMPLEMENTED(false,
                              "getCurrentCUDASparseHandle: torch does not use cuSPARSE; make a "
                              "handle by cusparseCreate, and give it at::cuda::"
                              "getCurrentCUDAStream()");
  __builtin_unreachable();
}

}  // namespace at::cuda
