#pragma once
// The devices of this process.

#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>

namespace c10::cuda {

// 0 without a driver or without a GPU; never throws.
C10_API DeviceIndex device_count() noexcept;
// The same, with the reason as an exception.
C10_API DeviceIndex device_count_ensure_non_zero();
C10_API DeviceIndex current_device();
C10_API void set_device(DeviceIndex device);
// Returns the previous device. A device of -1 changes nothing.
C10_API DeviceIndex exchange_device(DeviceIndex device);
C10_API void device_synchronize();
// What the runtime tells of a device, asked for once.
C10_API const cudaDeviceProp& device_properties(DeviceIndex device);
C10_API void check_device(DeviceIndex device);
// The device of an index, where -1 is the current one.
inline DeviceIndex device_or_current(DeviceIndex device) {
  return device < 0 ? current_device() : device;
}

}  // namespace c10::cuda

// Programs say at::cuda for all of this.
namespace at::cuda {
using namespace c10::cuda;  // NOLINT
}
