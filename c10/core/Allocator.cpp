// The registry of allocators by device.

#include <c10/core/Allocator.h>

#include <c10/core/impl/BackendLibrary.h>
#include <c10/util/Exception.h>

namespace c10 {

static Allocator* g_allocators[static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES)];

Allocator* GetAllocator(DeviceType type) {
  Allocator*& a = g_allocators[static_cast<int>(type)];
  if (C10_UNLIKELY(!a)) impl::load_backend_library(type);
  TORCH_CHECK_NOT_IMPLEMENTED(a, "device '", DeviceTypeName(type),
                              "' has no allocator in this build");
  return a;
}

void SetAllocator(DeviceType type, Allocator* allocator) {
  g_allocators[static_cast<int>(type)] = allocator;
}

}  // namespace c10
