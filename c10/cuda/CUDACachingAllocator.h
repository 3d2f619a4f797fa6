#pragma once
// Device memory, kept for reuse.
//
// Note [CUDA memory]
// cudaMalloc and cudaFree wait for the device, so memory is taken from CUDA in segments, and cut
// into blocks. A block that is freed returns to the pool of its stream at once: work of that stream
// comes after the work that used it. A block that other streams used (record_stream) waits for
// events on them. Requests up to 1 MiB share segments of 2 MiB, those up to 10 MiB segments of 20
// MiB, and larger ones have segments of their own, in steps of 2 MiB.
//
// Memory of a CUDA graph comes from a private pool, which nobody else uses while the graph lives.
//
// Environment:
//   PYTORCH_CUDA_ALLOC_CONF=NAME:VALUE,...   max_split_size_mb, max_non_split_rounding_mb,
//                                            garbage_collection_threshold,
//                                            roundup_power2_divisions (a number, or a list by
//                                            sizes), per_process_memory_fraction, and
//                                            expandable_segments:True (Note [Expandable segments])
//   PYTORCH_NO_CUDA_MEMORY_CACHING=1         every block straight from cudaMalloc, for memory
//                                            checkers

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {

// Of a graph or of a user: (0, n) and (n, 0).
using MempoolId = std::pair<uint64_t, uint64_t>;

namespace impl {
class ExpandableSegment;
}

namespace CUDACachingAllocator {

struct Stat {
  int64_t current = 0, peak = 0, allocated = 0, freed = 0;
  void add(int64_t amount);
};
enum StatKind { kAll, kSmallPool, kLargePool, kStatKinds };
using StatArray = std::array<Stat, kStatKinds>;

struct DeviceStats {
  StatArray allocation, segment, active, inactive_split;  // counts
  StatArray allocated_bytes, reserved_bytes, active_bytes, inactive_split_bytes, requested_bytes;
  int64_t num_alloc_retries = 0, num_ooms = 0, num_device_alloc = 0, num_device_free = 0;
  int64_t num_sync_all_streams = 0;  // waits for all streams, before segments are returned
  // Blocks and segments of max_split_size or more.
  Stat oversize_allocations, oversize_segments;
};

// Where in the program memory was requested (MemoryHistory.h), in a form that its maker knows.
using MemoryContext = std::shared_ptr<void>;

struct BlockInfo {
  uintptr_t address;
  size_t size, requested;
  bool allocated, active;
  MemoryContext context;
};
struct SegmentInfo {
  DeviceIndex device;
  uintptr_t address;
  cudaStream_t stream;
  size_t total_size = 0, allocated_size = 0, active_size = 0, requested_size = 0;
  bool is_large = false, is_expandable = false;
  MempoolId pool = {0, 0};
  std::vector<BlockInfo> blocks = {};
};

C10_API Allocator* get();
C10_API void* raw_alloc(size_t bytes);
C10_API void* raw_alloc_with_stream(size_t bytes, cudaStream_t stream);
C10_API void raw_delete(void* address);

// The memory is not reused before the work that the stream has now is done.
C10_API void recordStream(const DataPtr& data, CUDAStream stream);
// Where a block's segment begins. Throws for memory that is not of this allocator.
struct Allocation {
  char* base;
  impl::ExpandableSegment* segment;  // if it is one
};
Allocation allocationOf(const DataPtr& data);
// The device reads and writes the memory of its peer directly: called once it can.
void allowPeerAccess(DeviceIndex device, DeviceIndex peer);
// Returns segments that nobody uses to the device.
C10_API void emptyCache();
// Without caching, every block comes from CUDA and returns to it.
C10_API void setCaching(bool caches);
C10_API bool isCaching();
// No more than this share of the device's memory.
C10_API void setMemoryFraction(double fraction, DeviceIndex device);
C10_API double getMemoryFraction(DeviceIndex device);

C10_API DeviceStats getDeviceStats(DeviceIndex device);
// The reserved bytes of each private pool.
C10_API std::vector<std::pair<MempoolId, StatArray>> getPrivatePoolStats(DeviceIndex device);
C10_API void resetAccumulatedStats(DeviceIndex device);
C10_API void resetPeakStats(DeviceIndex device);
C10_API std::vector<SegmentInfo> snapshot();

// From now on the requests of those streams are served from the private pool.
C10_API void beginAllocateToPool(DeviceIndex device, MempoolId id,
                                 std::function<bool(cudaStream_t)> filter);
C10_API void endAllocateToPool(DeviceIndex device, MempoolId id);
// One user less; the pool's memory can be returned when there is none.
C10_API void releasePool(DeviceIndex device, MempoolId id);

}  // namespace CUDACachingAllocator
}  // namespace c10::cuda
