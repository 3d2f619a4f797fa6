#pragma once
// Blocks above 64 KiB: each a mapping of its own, kept for reuse after its release.
//
// Sizes are rounded up to eighths of a power of two, and there is one list of kept blocks for each
// such size, the last released first (its pages are the likeliest to be in the processor's caches).

#include <c10/core/impl/Pages.h>

#include <mutex>

namespace c10::impl {

struct LargeStats {
  uint64_t allocations, frees, hits, maps, unmaps;
  uint64_t in_use, cached, peak_in_use, peak_reserved;
};

class LargeBlocks {
 public:
  // nullptr if the system has no memory left even after the cache was given back.
  void* allocate(size_t nbytes);
  // True if nobody watches over the age of kept blocks: the caller then sees to it that expire() is
  // called until it returns 0.
  bool release(void* block);
  size_t usable_size(void* block) const;

  void empty_cache();
  // Gives back the blocks that were unused for too long. The milliseconds after which the next one
  // will have been; 0 if none is kept; release() then asks for a watch again.
  uint64_t expire();
  void not_watched();
  // In a forked child: kept blocks would hold the parent's pages, and cost a copy to write into.
  void drop_after_fork();
  void set_limits(size_t max_cached, uint64_t max_idle_milliseconds);
  LargeStats stats();
  // `small_in_use` counts towards the peak, which is one of all memory.
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
  // Unlinks kept blocks, the longest unused first, until at most `keep` bytes are kept and none is
  // older than the limit; returns them as a list by bin_next.
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
