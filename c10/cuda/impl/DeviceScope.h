#pragma once
// Makes a device current for a scope.

#include <c10/cuda/CUDAFunctions.h>

namespace c10::cuda::impl {

class DeviceScope {
 public:
  explicit DeviceScope(DeviceIndex device) : before_(exchange_device(device)), device_(device) {}
  ~DeviceScope() {
    if (device_ >= 0 && before_ != device_) C10_CUDA_IGNORE(cudaSetDevice(before_));
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  DeviceIndex before_, device_;
};

}  // namespace c10::cuda::impl
