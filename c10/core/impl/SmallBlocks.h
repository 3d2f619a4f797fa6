#pragma once
// Blocks up to 64 KiB, out of slabs that hold blocks of one size class each.
//
// A thread allocates from and frees into lists of its own, one a class; only when such a list runs
// empty or full does a batch of blocks move between it and the slabs, under the lock of the class.
// So a block may be freed by another thread than the one that allocated it. A slab none of whose
// blocks is out can serve another class, or give its pages back.

#include <c10/core/impl/Pages.h>

#include <mutex>

namespace c10::impl {

constexpr size_t kMaxSmall = size_t{64} << 10;
// 64-byte steps up to 1 KiB, then four classes to each doubling up to 64 KiB. Class 0 is that of no
// bytes, has no blocks, and so always takes the slow path.
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

// The free blocks of a class that a thread has at hand, linked through their first word.
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

// Null before a thread's first allocation, after its cache was taken down, and under malloc. The
// library is loaded once and the variable is one word, so it can have a fixed place in the thread
// block.
extern __thread ThreadCache* thread_cache __attribute__((tls_model("initial-exec")));

struct SmallStats {
  uint64_t allocations, frees, in_use, reserved, maps, unmaps;
};

// Moves a batch from the slabs to the thread's list, making the thread's cache at its first call,
// and returns a block; nullptr if the system has no memory.
void* allocate_small_slow(uint32_t size_class);
// Takes a block that the fast path could not: no cache, or the list is full.
void release_small_slow(void* block);
void flush_list(ThreadCache* cache, uint32_t size_class);

// Returns the calling thread's lists to the slabs and drops the pages of slabs that are unused.
void empty_small_cache();
SmallStats small_stats();

// Around fork: all locks are held, so that the child finds every list whole.
void lock_small_blocks();
void unlock_small_blocks();
// In a forked child, before the locks are released: the caches of threads that are not there lie in
// memory that the next threads get.
void drop_other_caches_after_fork();

}  // namespace c10::impl
