#pragma once
// Guards for CUDA devices and streams, by index. Code for all devices uses c10/core/DeviceGuard.h.

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/impl/DeviceScope.h>

namespace c10::cuda {

class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex device) : guard_(Device(DeviceType::CUDA, device)) {}
  explicit CUDAGuard(Device device) : guard_(device) {
    TORCH_CHECK(device.is_cuda(), "expected a CUDA device, got ", device);
  }

 private:
  DeviceGuard guard_;
};

class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(CUDAStream stream) : guard_(stream.unwrap()) {}
  explicit CUDAStreamGuard(Stream stream) : CUDAStreamGuard(CUDAStream(stream)) {}

 private:
  StreamGuard guard_;
};

}  // namespace c10::cuda
