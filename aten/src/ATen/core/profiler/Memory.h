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

// Around a fork, so that the child finds what is kept here whole.
void lock_memory_records();
void unlock_memory_records();

}  // namespace at::profiler
