#pragma once
// Lets this thread ask CUDA for memory and events for a scope while a stream is captured: what it
// asks for does not belong to the graph.

#include <c10/cuda/CUDAException.h>

namespace c10::cuda::impl {

class RelaxedCapture {
 public:
  RelaxedCapture() { C10_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~RelaxedCapture() { C10_CUDA_IGNORE(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace c10::cuda::impl
