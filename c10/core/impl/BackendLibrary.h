#pragma once
// Libraries of backends, which are loaded when their devices are first used.

#include <string>

#include <c10/core/Device.h>

namespace c10::impl {

// Loads libtorch_cuda for CUDA. True if the backend is there afterwards; false, at the cost of a
// load and a comparison, if this build has none for the device type. Throws if the library is there
// and cannot be loaded.
bool load_backend_library(DeviceType type);
bool backend_library_is_loaded(DeviceType type);
// The path of that library; empty if this build has none.
std::string backend_library(DeviceType type);

}  // namespace c10::impl
