#pragma once
// Host memory that GPUs read and write directly, kept for reuse.
//
// Note [Pinned memory]
// Pinning waits for the device and takes about a millisecond per megabyte, so blocks are powers of
// two and go to a free list. A copy that does not wait records its stream: the block is free when
// the work that the stream had then is done.

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {

// Microseconds of a kind of call.
struct DurationStat {
  int64_t total = 0, max = 0, min = 0, count = 0;
  void add(int64_t microseconds);
};
struct PinnedMemoryStats {
  using Stat = CUDACachingAllocator::Stat;
  Stat allocations, allocated_bytes;   // what was taken from CUDA, in use or not
  Stat active_requests, active_bytes;  // what is in use
  DurationStat alloc_time, free_time;  // calls of CUDA
};

C10_API Allocator* pinned_allocator();
C10_API bool is_pinned(const void* address);
// The memory is not reused before the work that the stream has now is done. Returns false if it is
// not memory of this allocator.
C10_API bool record_pinned(const DataPtr& data, CUDAStream stream);
// Returns free blocks to the system.
C10_API void empty_pinned_cache();
C10_API PinnedMemoryStats pinned_memory_stats();
// The peaks start from what there is now; sums and times from 0.
C10_API void reset_pinned_memory_stats(bool peaks, bool sums);

}  // namespace c10::cuda
