#pragma once
// Direct access of one device to the memory of another one.

#include <c10/cuda/CUDAFunctions.h>

namespace c10::cuda {

// Whether the hardware has it.
C10_API bool can_access_peer(DeviceIndex device, DeviceIndex peer);
// From now on `device` reads and writes the memory of `peer`, if the hardware has it. Returns
// whether it does; only the first call for a pair asks CUDA.
C10_API bool enable_peer_access(DeviceIndex device, DeviceIndex peer);

}  // namespace c10::cuda
