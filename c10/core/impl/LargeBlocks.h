#pragma once
// Blocks above 64 KiB: each has its own mapping, cached for reuse after its release.
//
// Sizes are rounded up to eighths of a power of two, with one list of cached blocks per size, the
// last released first (its pages are the most likely to be in the processor's caches).

#include <c10/core/impl/Pages.h>

#include <mutex>

namespace c10::impl {

struct LargeStats {
  uint64_t allocations, frees, hits, maps, unmaps;
  uint64_t in_use, cached, peak_in_use, peak_reserved;
};

class LargeBlocks {
 public:
  // nullptr if the system has no memory left even after the cache was emptied.
  void* allocate(size_t nbytes);
  // Returns true if no thread watches the age of cached blocks: the caller must then ensure that
  // expire() is called until it returns 0.
  bool release(void* block);
  size_t usable_size(void* block) const;

  void empty_cache();
  // Releases blocks that were unused for too long. Returns the milliseconds until the next one
  // expires, or 0 if none is cached; release() then asks for a watcher again.
  uint64_t expire();
  void not_watched();
  // In a forked child: cached blocks are the parent's pages, and writing to them costs a copy.
  void drop_after_fork();
  void set_limits(size_t max_cached, uint64_t max_idle_milliseconds);
  LargeStats stats();
  // `small_in_use` counts towards the peak, which covers all memory.
  void note_small(size_t small_in_use, size_t small_reserved);
  void reset_peaks();

  std::mutex mutex;  // for fork, which must find no other thread inside

 private:
  struct Block;
  static constexpr int kBins = 8 * 64;

  static int bin_of(size_t size);
  static size_t rounded(size_t size);
  void push(Block* block);
  void remove(Block* block);
  Block* take(int bin);
  // Unlinks cached blocks, the longest unused first, until at most `keep` bytes are cached and none
  // is older than the limit; returns them as a list through bin_next.
  Block* detach(size_t keep, uint64_t now);
  void unmap_list(Block* list);
  void update_peaks();

  Block* bins_[kBins] = {};
  Block* newest_ = nullptr;
  Block* oldest_ = nullptr;
  size_t max_cached_ = 0;
  uint64_t max_idle_ = 0;
  uint64_t last_pressure_check_ = 0;
  bool watched_ = false;
  size_t small_in_use_ = 0;
  size_t small_reserved_ = 0;
  LargeStats stats_ = {};
};

}  // namespace c10::impl
