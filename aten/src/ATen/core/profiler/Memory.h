#pragma once
// Tells a profile what is allocated and freed, by standing before the CPU's allocator while one
// runs that asked for it.

#include <cstddef>
#include <cstdint>

namespace at::profiler {

// Called for each block that was allocated since start_recording_memory: nbytes negative when it is
// freed. allocated: bytes of such blocks in use after that.
using OnMemory = void (*)(void* address, int64_t nbytes, int64_t allocated);

void start_recording_memory(OnMemory on_memory);
void stop_recording_memory();

}  // namespace at::profiler
