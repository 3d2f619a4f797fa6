#pragma once
// Blocks up to 64 KiB, taken from slabs that each hold blocks of one size class.
//
// A thread allocates from and frees into its own lists, one per class; only when such a list
// becomes empty or full does a batch of blocks move between it and the slabs, under the lock of the
// class. So a block may be freed by a different thread than the one that allocated it. A slab with
// no blocks in use can serve another class, or release its pages.

#include <c10/core/impl/Pages.h>

#include <mutex>

namespace c10::impl {

constexpr size_t kMaxSmall = size_t{64} << 10;
// 64-byte steps up to 1 KiB, then four classes per doubling up to 64 KiB. Class 0 is for zero
// bytes; it has no blocks, and so always takes the slow path.
constexpr uint32_t kLinearClasses = 16;
constexpr uint32_t kClasses = 1 + kLinearClasses + 4 * 6;

constexpr uint32_t size_class_of(size_t nbytes) {
  if (nbytes <= 1024) {
    return static_cast<uint32_t>((nbytes + 63) >> 6);
  }
  const int power = 63 - __builtin_clzll(nbytes - 1);
  return kLinearClasses + 1 + static_cast<uint32_t>((power - 10) * 4) +
         (static_cast<uint32_t>((nbytes - 1) >> (power - 2)) & 3);
}

constexpr size_t size_of_class(uint32_t size_class) {
  if (size_class <= kLinearClasses) {
    return size_class * size_t{64};
  }
  const uint32_t step = size_class - kLinearClasses - 1;
  return (size_t{5} + step % 4) << (8 + step / 4);
}

// A thread's free blocks of a class, linked through their first word.
struct FreeList {
  void* head;
  uint32_t count;
  uint32_t limit;
  uint64_t allocations;  // written by the owning thread alone, read by the statistics
  uint64_t frees;
};

struct ThreadCache {
  FreeList lists[kClasses];
  ThreadCache* next;
  ThreadCache* previous;
};

// Null before a thread's first allocation, after its cache was released, and under malloc. The
// library is loaded once and the variable is one word, so it can have a fixed place in the thread
// block.
extern __thread ThreadCache* thread_cache __attribute__((tls_model("initial-exec")));

struct SmallStats {
  uint64_t allocations, frees, in_use, reserved, maps, unmaps;
};

// Moves a batch from the slabs to the thread's list, creating the thread's cache at its first call,
// and returns a block; nullptr if the system has no memory.
void* allocate_small_slow(uint32_t size_class);
// Frees a block that the fast path could not take: no cache, or the list is full.
void release_small_slow(void* block);
void flush_list(ThreadCache* cache, uint32_t size_class);

// Returns the calling thread's lists to the slabs and releases the pages of unused slabs.
void empty_small_cache();
SmallStats small_stats();

// Around fork: takes all locks, so that the child finds every list consistent.
void lock_small_blocks();
void unlock_small_blocks();
// In a forked child, before the locks are released: the caches of threads that no longer exist are
// in memory that new threads will reuse.
void drop_other_caches_after_fork();

}  // namespace c10::impl
