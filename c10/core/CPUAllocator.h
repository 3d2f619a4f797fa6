#pragma once
// The caching CPU allocator. Every block is aligned to 64 bytes.
//
//   void* p = c10::alloc_cpu(nbytes);   // throws OutOfMemoryError; nullptr for nbytes == 0
//   c10::free_cpu(p);                   // on any thread
//
// Note [CPU memory]
// Up to 64 KiB a block comes from a size class, through a list that belongs to the thread
// (impl/SmallBlocks.h). A larger one is a mapping of its own, cached after its release for the next
// request of about its size (impl/LargeBlocks.h), because mapping, faulting in and unmapping new
// memory costs several times what an elementwise kernel spends on it. The cache is bounded; it is
// returned to the system when it is unused for a while, when memory runs short, and by
// empty_cache().
//
// Environment:
//   TORCH_CPU_ALLOCATOR=malloc              every block from the C library, for valgrind and
//                                           sanitizers (the default in AddressSanitizer builds)
//   TORCH_CPU_ALLOCATOR_MAX_CACHED=BYTES    bound of what is kept, with K, M or G (an eighth of
//                                           the memory)
//   TORCH_CPU_ALLOCATOR_MAX_IDLE=SECONDS    how long a large block is kept unused (10)

#include <c10/core/Allocator.h>
#include <c10/macros/Macros.h>

#include <cstddef>
#include <cstdint>

namespace c10 {

constexpr size_t gAlignment = 64;

C10_API void* alloc_cpu(size_t nbytes);
C10_API void free_cpu(void* data);
// The actual size of the block, at least the requested one; 0 for nullptr and under malloc.
C10_API size_t usable_size_cpu(void* data);

struct CPUAllocatorStats {
  uint64_t allocations = 0;  // calls so far, small and large
  uint64_t frees = 0;
  uint64_t allocated_bytes = 0;       // in use now
  uint64_t peak_allocated_bytes = 0;  // exact for large blocks; small ones as last queried
  uint64_t cached_bytes = 0;          // held for reuse, small and large
  uint64_t reserved_bytes = 0;        // mapped from the system: in use and cached
  uint64_t peak_reserved_bytes = 0;
  uint64_t system_maps = 0;  // number of requests to the system
  uint64_t system_unmaps = 0;
  uint64_t cache_hits = 0;  // large requests served from the cache
};

C10_API CPUAllocatorStats cpu_allocator_stats();
C10_API void reset_peak_cpu_allocator_stats();
// Returns everything that no tensor uses to the system.
C10_API void empty_cpu_cache();
// False under TORCH_CPU_ALLOCATOR=malloc.
C10_API bool cpu_allocator_is_caching();

// The allocator of DeviceType::CPU; replace it to trace or to pin, for example.
C10_API Allocator* GetCPUAllocator();
C10_API void SetCPUAllocator(Allocator* allocator);
C10_API Allocator* GetDefaultCPUAllocator();

}  // namespace c10
