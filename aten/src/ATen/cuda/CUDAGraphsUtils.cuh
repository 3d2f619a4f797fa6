#pragma once
// What extensions ask about captures, and the state of generators in them.

#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/PhiloxUtils.cuh>

namespace at::cuda {

enum class CaptureStatus : int {
  None = static_cast<int>(cudaStreamCaptureStatusNone),
  Active = static_cast<int>(cudaStreamCaptureStatusActive),
  Invalidated = static_cast<int>(cudaStreamCaptureStatusInvalidated),
};

inline CaptureStatus currentStreamCaptureStatus() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_CHECK(cudaStreamIsCapturing(getCurrentCUDAStream(), &status));
  return static_cast<CaptureStatus>(status);
}
// For calls that no graph can hold.
inline void assertNotCapturing(const std::string& attempt) {
  TORCH_CHECK(
      currentStreamCaptureStatus() == CaptureStatus::None, attempt,
      ": this stream is captured for a CUDA graph, which cannot hold the call; make it before "
      "or after the capture");
}

}  // namespace at::cuda
