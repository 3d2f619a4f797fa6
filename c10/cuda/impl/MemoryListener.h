#pragma once
// Who is told of the blocks that programs take and return: the profiler.

#include <atomic>
#include <cstdint>

#include <c10/core/Device.h>
#include <c10/macros/Macros.h>

namespace c10::cuda::impl {

// bytes: of the block, negative when it is returned. allocated, reserved: of the device,
// afterwards. It is called under the allocator's lock.
using MemoryListener = void (*)(DeviceIndex device, const void* address, int64_t bytes,
                                int64_t allocated, int64_t reserved);
// Null if nobody listens.
C10_API extern std::atomic<MemoryListener> g_memory_listener;

}  // namespace c10::cuda::impl
