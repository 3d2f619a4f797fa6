// The allocator's large blocks: shared free lists, and returning memory to the system.

#include <c10/core/impl/LargeBlocks.h>

#include <algorithm>

namespace c10::impl {

struct LargeBlocks::Block {
  RegionHeader header;
  int bin;
  size_t size;  // size of the mapping, including this header
  uint64_t released_at;
  Block* bin_previous;
  Block* bin_next;
  Block* older;
  Block* newer;
};

namespace {

constexpr size_t kHeader = 64;
// A cached block may serve a request that is up to this many size steps (an eighth each) smaller.
constexpr int kStepsBelow = 2;
constexpr uint64_t kPressureInterval = 1000;

constexpr int floor_log2(size_t value) { return 63 - __builtin_clzll(value); }

}  // namespace

// Rounds up to a multiple of an eighth of the power of two below, which is at least two pages.
size_t LargeBlocks::rounded(size_t size) {
  const size_t step = (size_t{1} << floor_log2(size)) / 8;
  return (size + step - 1) & ~(step - 1);
}

// One bin per rounded size.
int LargeBlocks::bin_of(size_t size) {
  const int power = floor_log2(size);
  return power * 8 + static_cast<int>((size >> (power - 3)) & 7);
}

void LargeBlocks::push(Block* block) {
  block->bin_previous = nullptr;
  block->bin_next = bins_[block->bin];
  if (block->bin_next) {
    block->bin_next->bin_previous = block;
  }
  bins_[block->bin] = block;
  block->newer = nullptr;
  block->older = newest_;
  (newest_ ? newest_->newer : oldest_) = block;
  newest_ = block;
  stats_.cached += block->size;
}

void LargeBlocks::remove(Block* block) {
  (block->bin_previous ? block->bin_previous->bin_next : bins_[block->bin]) = block->bin_next;
  if (block->bin_next) {
    block->bin_next->bin_previous = block->bin_previous;
  }
  (block->newer ? block->newer->older : newest_) = block->older;
  (block->older ? block->older->newer : oldest_) = block->newer;
  stats_.cached -= block->size;
}

LargeBlocks::Block* LargeBlocks::take(int bin) {
  const int last = std::min(bin + kStepsBelow, kBins - 1);
  for (int i = bin; i <= last; ++i) {
    if (Block* block = bins_[i]) {
      remove(block);
      return block;
    }
  }
  return nullptr;
}

LargeBlocks::Block* LargeBlocks::detach(size_t keep, uint64_t now) {
  Block* list = nullptr;
  while (oldest_ && (stats_.cached > keep || now - oldest_->released_at > max_idle_)) {
    Block* block = oldest_;
    remove(block);
    stats_.unmaps++;
    block->bin_next = list;
    list = block;
  }
  return list;
}

void LargeBlocks::unmap_list(Block* list) {
  while (list) {
    Block* block = list;
    list = block->bin_next;
    unmap_pages(block, block->size);
  }
}

void LargeBlocks::update_peaks() {
  const uint64_t in_use = stats_.in_use + small_in_use_;
  stats_.peak_in_use = std::max(stats_.peak_in_use, in_use);
  stats_.peak_reserved =
      std::max(stats_.peak_reserved, stats_.in_use + stats_.cached + small_reserved_);
}

void* LargeBlocks::allocate(size_t nbytes) {
  if (nbytes > SIZE_MAX / 4) {
    return nullptr;
  }
  const size_t size = rounded(nbytes + kHeader);
  Block* expired = nullptr;
  {
    std::lock_guard<std::mutex> guard(mutex);
    stats_.allocations++;
    if (Block* block = take(bin_of(size))) {
      stats_.hits++;
      stats_.in_use += block->size;
      update_peaks();
      return reinterpret_cast<char*>(block) + kHeader;
    }
    const uint64_t now = coarse_milliseconds();
    size_t keep = max_cached_;
    if (stats_.cached > 0 && now - last_pressure_check_ > kPressureInterval) {
      // Programs that run short of memory need it more than the cache does.
      last_pressure_check_ = now;
      if (available_memory() < total_memory() / 16 + size) {
        keep = 0;
      }
    }
    expired = detach(keep, now);
  }
  // Slow system calls run without the lock.
  unmap_list(expired);
  const bool huge = size >= kHugePage;
  const size_t alignment = huge ? kHugePage : kRegionAlignment;
  void* memory = map_pages(size, alignment, huge);
  if (!memory) {
    empty_cache();
    memory = map_pages(size, alignment, huge);
  }
  std::lock_guard<std::mutex> guard(mutex);
  if (!memory) {
    stats_.allocations--;
    return nullptr;
  }
  Block* block = static_cast<Block*>(memory);
  block->header.size_class = kLargeClass;
  block->size = size;
  block->bin = bin_of(size);
  stats_.maps++;
  stats_.in_use += size;
  update_peaks();
  return reinterpret_cast<char*>(block) + kHeader;
}

bool LargeBlocks::release(void* pointer) {
  Block* block = reinterpret_cast<Block*>(region_of(pointer));
  Block* expired = nullptr;
  bool watch = false;
  {
    std::lock_guard<std::mutex> guard(mutex);
    stats_.frees++;
    stats_.in_use -= block->size;
    const uint64_t now = coarse_milliseconds();
    block->released_at = now;
    push(block);
    expired = detach(max_cached_, now);
    watch = !watched_ && oldest_;
    watched_ |= watch;
  }
  unmap_list(expired);
  return watch;
}

uint64_t LargeBlocks::expire() {
  Block* expired = nullptr;
  uint64_t wait = 0;
  {
    std::lock_guard<std::mutex> guard(mutex);
    const uint64_t now = coarse_milliseconds();
    expired = detach(max_cached_, now);
    watched_ = oldest_ != nullptr;
    if (oldest_) {
      wait = oldest_->released_at + max_idle_ + 1 - now;
    }
  }
  unmap_list(expired);
  return wait;
}

void LargeBlocks::not_watched() {
  std::lock_guard<std::mutex> guard(mutex);
  watched_ = false;
}

void LargeBlocks::drop_after_fork() {
  not_watched();
  empty_cache();
}

size_t LargeBlocks::usable_size(void* pointer) const {
  return reinterpret_cast<Block*>(region_of(pointer))->size - kHeader;
}

void LargeBlocks::empty_cache() {
  Block* all = nullptr;
  {
    std::lock_guard<std::mutex> guard(mutex);
    all = detach(0, coarse_milliseconds());
  }
  unmap_list(all);
}

void LargeBlocks::set_limits(size_t max_cached, uint64_t max_idle_milliseconds) {
  std::lock_guard<std::mutex> guard(mutex);
  max_cached_ = max_cached;
  max_idle_ = max_idle_milliseconds;
}

LargeStats LargeBlocks::stats() {
  std::lock_guard<std::mutex> guard(mutex);
  return stats_;
}

void LargeBlocks::note_small(size_t small_in_use, size_t small_reserved) {
  std::lock_guard<std::mutex> guard(mutex);
  small_in_use_ = small_in_use;
  small_reserved_ = small_reserved;
  update_peaks();
}

void LargeBlocks::reset_peaks() {
  std::lock_guard<std::mutex> guard(mutex);
  stats_.peak_in_use = 0;
  stats_.peak_reserved = 0;
  update_peaks();
}

}  // namespace c10::impl
