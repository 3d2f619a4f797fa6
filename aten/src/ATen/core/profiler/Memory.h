#pragma once
// Reports allocations and releases to a profile that requested them, by wrapping the CPU's
// allocator while it runs.

#include <cstddef>
#include <cstdint>

namespace at::profiler {

// Called for each block that was allocated since start_recording_memory: nbytes is negative when it
// is freed. allocated: bytes of such blocks in use afterwards.
using OnMemory = void (*)(void* address, int64_t nbytes, int64_t allocated);

void start_recording_memory(OnMemory on_memory);
void stop_recording_memory();

// Called around a fork, so that the child finds this module's data consistent.
void lock_memory_records();
void unlock_memory_records();

}  // namespace at::profiler
