#pragma once
// The GPUs of this process, for programs in C++.

#include <cstddef>

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace torch::cuda {

// 0 in a build for CPUs.
inline size_t device_count() {
  if (!c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA)) return 0;
  return static_cast<size_t>(c10::impl::getDeviceGuardImpl(c10::DeviceType::CUDA)->deviceCount());
}
inline bool is_available() { return device_count() > 0; }
inline bool cudnn_is_available() { return false; }
// Waits for the work of a device; -1: the current one.
inline void synchronize(c10::DeviceIndex index = -1) {
  const auto* devices = c10::impl::getDeviceGuardImpl(c10::DeviceType::CUDA);
  devices->synchronizeDevice(index < 0 ? devices->getDevice().index() : index);
}

}  // namespace torch::cuda
