#pragma once
// Private pools of device memory that a program makes (torch.cuda.MemPool), and what it may say
// about them.

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/PluggableAllocator.h>

namespace c10::cuda {

struct PoolOptions {
  // Where segments come from and return to; null: cudaMalloc and cudaFree. It must outlive the
  // process's use of device memory.
  const PluggableAllocator* allocator = nullptr;
  // A request for memory outside of the pool takes a free block of it before it fails.
  bool use_on_oom = false;
  // Each block has a segment of its own.
  bool no_split = false;
};

namespace CUDACachingAllocator {

// A pool with one user: until releasePool.
C10_API void createPool(DeviceIndex device, MempoolId id, const PoolOptions& options);
// Like beginAllocateToPool, for a pool that no graph captures into: memory is given back and
// asked for as at other times.
C10_API void beginUseOfPool(DeviceIndex device, MempoolId id,
                            std::function<bool(cudaStream_t)> filter);
// Returns the free segments of a pool that has no user.
C10_API void emptyPool(DeviceIndex device, MempoolId id);

}  // namespace CUDACachingAllocator
}  // namespace c10::cuda
