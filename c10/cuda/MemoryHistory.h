#pragma once
// What happened to device memory: requests, frees, segments taken and returned, with the stack of
// the program at each. Off, it costs a test of one byte for each block.

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <c10/cuda/CUDACachingAllocator.h>

namespace c10::cuda::CUDACachingAllocator {

enum class TraceAction : uint8_t {
  kAlloc,
  kFreeRequested,  // by the program
  kFreeCompleted,  // once no stream uses it
  kSegmentAlloc,
  kSegmentFree,
  kSegmentMap,  // pages of an expandable segment
  kSegmentUnmap,
  kOutOfMemory,
};

struct TraceEntry {
  TraceAction action;
  DeviceIndex device;
  uintptr_t address;  // of kOutOfMemory: the free bytes of the device
  size_t size;
  cudaStream_t stream;
  int64_t time_us;  // since 1970
  MemoryContext context;
};

struct HistorySettings {
  bool is_enabled = false;
  // Whether entries are kept, and not only the contexts of the blocks that there are.
  bool keeps_entries = false;
  bool has_contexts_of_allocations = false, has_contexts_of_frees = false;
  size_t max_entries = SIZE_MAX;
  uint32_t skipped = 0;  // bits of the actions that are not recorded
  // Gives the context of the calling thread. Null is none.
  MemoryContext (*context)() = nullptr;
};

C10_API void record_history(const HistorySettings& settings, bool clears);
// The entries of a device, the oldest first.
C10_API std::vector<TraceEntry> history(DeviceIndex device);

// Called before the error for memory that a device does not have: the device, the bytes that were
// asked for, those that this process may have in all, and those that are free. Called also where
// nothing is recorded, in the order in which they were attached, and never removed.
using OutOfMemoryObserver =
    std::function<void(DeviceIndex device, size_t bytes, size_t total, size_t free)>;
C10_API void attach_out_of_memory_observer(OutOfMemoryObserver observer);

}  // namespace c10::cuda::CUDACachingAllocator

// What the allocator calls.
namespace c10::cuda::impl {

using CUDACachingAllocator::MemoryContext;
using CUDACachingAllocator::TraceAction;

extern std::atomic<bool> g_records_history;
// Null if nothing is recorded, or not for such a call. It must hold no lock of the allocator.
MemoryContext context_of(TraceAction action);
void add_entry(TraceAction action, DeviceIndex device, const void* address, size_t size,
               cudaStream_t stream, MemoryContext context);

}  // namespace c10::cuda::impl
