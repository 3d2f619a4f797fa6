// The allocator's small blocks: size classes with a free list per thread.

#include <c10/core/impl/SmallBlocks.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace c10::impl {

__thread ThreadCache* thread_cache __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// Header of a region of kRegionAlignment bytes, which is cut into blocks on demand, so that pages
// that nobody needs are never touched.
struct Slab {
  RegionHeader header;
  uint32_t out;  // blocks owned by threads, in use or in their lists
  uint32_t cut;  // blocks cut so far
  uint32_t capacity;
  void* free;  // cut blocks that were returned
  Slab* next;  // next in the class's list of slabs with room, or in the list of unused slabs
  Slab* previous;
  bool listed;
};
static_assert(sizeof(Slab) <= 64);

constexpr size_t kHeader = 64;
constexpr size_t kSlabsPerMapping = 8;
// Limits of the blocks per class that a thread caches, and of unused slabs that keep their pages.
constexpr size_t kThreadBytesPerClass = size_t{128} << 10;
constexpr size_t kUnusedSlabsKept = 16;

struct Central {
  std::mutex mutex;
  Slab* with_room = nullptr;
};

Central centrals[kClasses];

// Guards the unused slabs, the list of caches, and the counters of threads that have ended. Taken
// after a class's lock, never before.
std::mutex shared_mutex;
Slab* unused_slabs = nullptr;
size_t unused_count = 0;
ThreadCache* caches = nullptr;
SmallStats gone = {};
size_t reserved = 0;
uint64_t maps = 0;
uint64_t unmaps = 0;

void*& next_of(void* block) { return *static_cast<void**>(block); }

void add_counters(SmallStats& stats, const ThreadCache& cache) {
  for (uint32_t i = 0; i < kClasses; ++i) {
    const uint64_t allocations = __atomic_load_n(&cache.lists[i].allocations, __ATOMIC_RELAXED);
    const uint64_t frees = __atomic_load_n(&cache.lists[i].frees, __ATOMIC_RELAXED);
    stats.allocations += allocations;
    stats.frees += frees;
    // A thread may free what another one allocated: only the sum over all threads is meaningful.
    stats.in_use += (allocations - frees) * size_of_class(i);
  }
}

void list_slab(Central& central, Slab* slab) {
  slab->previous = nullptr;
  slab->next = central.with_room;
  if (slab->next) {
    slab->next->previous = slab;
  }
  central.with_room = slab;
  slab->listed = true;
}

void unlist_slab(Central& central, Slab* slab) {
  (slab->previous ? slab->previous->next : central.with_room) = slab->next;
  if (slab->next) {
    slab->next->previous = slab->previous;
  }
  slab->listed = false;
}

Slab* take_unused_slab() {
  std::lock_guard<std::mutex> guard(shared_mutex);
  if (!unused_slabs) {
    constexpr size_t size = kSlabsPerMapping * kRegionAlignment;
    char* memory = static_cast<char*>(map_pages(size, kRegionAlignment, /*huge=*/false));
    if (!memory) {
      return nullptr;
    }
    maps++;
    for (size_t i = kSlabsPerMapping; i-- > 0;) {
      Slab* slab = reinterpret_cast<Slab*>(memory + i * kRegionAlignment);
      slab->next = unused_slabs;
      unused_slabs = slab;
    }
    unused_count += kSlabsPerMapping;
  }
  Slab* slab = unused_slabs;
  unused_slabs = slab->next;
  unused_count--;
  reserved += kRegionAlignment;
  return slab;
}

void return_unused_slab(Slab* slab) {
  std::lock_guard<std::mutex> guard(shared_mutex);
  if (unused_count >= kUnusedSlabsKept) {
    drop_pages(slab, kRegionAlignment);
    unmaps++;
  }
  slab->next = unused_slabs;
  unused_slabs = slab;
  unused_count++;
  reserved -= kRegionAlignment;
}

Slab* slab_with_room(Central& central, uint32_t size_class) {
  if (!central.with_room) {
    Slab* slab = take_unused_slab();
    if (!slab) {
      return nullptr;
    }
    slab->header.size_class = size_class;
    slab->out = 0;
    slab->cut = 0;
    slab->capacity =
        static_cast<uint32_t>((kRegionAlignment - kHeader) / size_of_class(size_class));
    slab->free = nullptr;
    list_slab(central, slab);
  }
  return central.with_room;
}

// A new block of the class, or nullptr if there is no memory. Requires the class's lock.
void* take_block(Central& central, uint32_t size_class) {
  Slab* slab = slab_with_room(central, size_class);
  if (!slab) {
    return nullptr;
  }
  void* block = slab->free;
  if (block) {
    slab->free = next_of(block);
  } else {
    block = reinterpret_cast<char*>(slab) + kHeader + slab->cut * size_of_class(size_class);
    slab->cut++;
  }
  slab->out++;
  if (slab->out == slab->capacity) {
    unlist_slab(central, slab);
  }
  return block;
}

void return_block(Central& central, void* block) {
  Slab* slab = reinterpret_cast<Slab*>(region_of(block));
  next_of(block) = slab->free;
  slab->free = block;
  slab->out--;
  if (!slab->listed) {
    list_slab(central, slab);
  }
  if (slab->out == 0) {
    unlist_slab(central, slab);
    return_unused_slab(slab);
  }
}

void return_blocks(FreeList& list, uint32_t size_class, uint32_t count) {
  Central& central = centrals[size_class];
  std::lock_guard<std::mutex> guard(central.mutex);
  for (; count > 0 && list.head; --count) {
    void* block = list.head;
    list.head = next_of(block);
    list.count--;
    return_block(central, block);
  }
}

void retire(ThreadCache* cache) {
  for (uint32_t i = 1; i < kClasses; ++i) {
    return_blocks(cache->lists[i], i, UINT32_MAX);
  }
  std::lock_guard<std::mutex> guard(shared_mutex);
  add_counters(gone, *cache);
  (cache->previous ? cache->previous->next : caches) = cache->next;
  if (cache->next) {
    cache->next->previous = cache->previous;
  }
}

// Releases the thread's cache when the thread ends. Later frees take the slow path.
__thread bool thread_ended = false;
struct CacheOwner {
  ThreadCache cache;

  ~CacheOwner() {
    thread_ended = true;
    thread_cache = nullptr;
    retire(&cache);
  }
};

ThreadCache* make_thread_cache() {
  if (thread_ended) {
    return nullptr;
  }
  // On the heap: libraries loaded later (OpenMP's among them) need room in the static TLS block.
  static thread_local const auto owner = std::make_unique<CacheOwner>();
  ThreadCache& cache = owner->cache;
  for (uint32_t i = 1; i < kClasses; ++i) {
    cache.lists[i].limit = static_cast<uint32_t>(
        std::clamp(kThreadBytesPerClass / size_of_class(i), size_t{4}, size_t{512}));
  }
  std::lock_guard<std::mutex> guard(shared_mutex);
  cache.previous = nullptr;
  cache.next = caches;
  if (caches) {
    caches->previous = &cache;
  }
  caches = &cache;
  return thread_cache = &cache;
}

}  // namespace

void* allocate_small_slow(uint32_t size_class) {
  ThreadCache* cache = thread_cache ? thread_cache : make_thread_cache();
  Central& central = centrals[size_class];
  if (!cache) {
    std::lock_guard<std::mutex> guard(central.mutex);
    void* block = take_block(central, size_class);
    if (block) {
      std::lock_guard<std::mutex> counters(shared_mutex);
      gone.allocations++;
      gone.in_use += size_of_class(size_class);
    }
    return block;
  }
  FreeList& list = cache->lists[size_class];
  std::lock_guard<std::mutex> guard(central.mutex);
  // The first request gets few blocks; further requests get more.
  const uint32_t batch =
      std::min<uint32_t>(list.limit / 2, 1 + static_cast<uint32_t>(list.allocations));
  void* tail = nullptr;
  for (uint32_t i = 0; i < batch; ++i) {
    void* block = take_block(central, size_class);
    if (!block) {
      break;
    }
    // Kept in address order, in which a thread then walks them.
    next_of(block) = nullptr;
    (tail ? next_of(tail) : list.head) = block;
    tail = block;
    list.count++;
  }
  void* block = list.head;
  if (block) {
    list.head = next_of(block);
    list.count--;
    __atomic_store_n(&list.allocations, list.allocations + 1, __ATOMIC_RELAXED);
  }
  return block;
}

void flush_list(ThreadCache* cache, uint32_t size_class) {
  FreeList& list = cache->lists[size_class];
  return_blocks(list, size_class, list.limit / 2);
}

void release_small_slow(void* block) {
  const uint32_t size_class = region_of(block)->size_class;
  ThreadCache* cache = make_thread_cache();
  if (cache) {
    FreeList& list = cache->lists[size_class];
    next_of(block) = list.head;
    list.head = block;
    list.count++;
    __atomic_store_n(&list.frees, list.frees + 1, __ATOMIC_RELAXED);
    return;
  }
  Central& central = centrals[size_class];
  std::lock_guard<std::mutex> guard(central.mutex);
  return_block(central, block);
  std::lock_guard<std::mutex> counters(shared_mutex);
  gone.frees++;
  gone.in_use -= size_of_class(size_class);
}

void empty_small_cache() {
  if (ThreadCache* cache = thread_cache) {
    for (uint32_t i = 1; i < kClasses; ++i) {
      return_blocks(cache->lists[i], i, UINT32_MAX);
    }
  }
  std::lock_guard<std::mutex> guard(shared_mutex);
  for (Slab* slab = unused_slabs; slab; slab = slab->next) {
    // All except the page with the header, which the list needs.
    drop_pages(reinterpret_cast<char*>(slab) + 4096, kRegionAlignment - 4096);
  }
}

SmallStats small_stats() {
  std::lock_guard<std::mutex> guard(shared_mutex);
  SmallStats stats = gone;
  for (ThreadCache* cache = caches; cache; cache = cache->next) {
    add_counters(stats, *cache);
  }
  // A block that one thread allocated and another freed during the count may have been counted only
  // once.
  stats.in_use = static_cast<int64_t>(stats.in_use) < 0 ? 0 : stats.in_use;
  stats.reserved = reserved;
  stats.maps = maps;
  stats.unmaps = unmaps;
  return stats;
}

void lock_small_blocks() {
  for (Central& central : centrals) {
    central.mutex.lock();
  }
  shared_mutex.lock();
}

void unlock_small_blocks() {
  shared_mutex.unlock();
  for (Central& central : centrals) {
    central.mutex.unlock();
  }
}

void drop_other_caches_after_fork() {
  ThreadCache* mine = thread_cache;
  for (ThreadCache* cache = caches; cache; cache = cache->next) {
    if (cache != mine) {
      add_counters(gone, *cache);
    }
  }
  caches = mine;
  if (mine) {
    mine->next = mine->previous = nullptr;
  }
}

}  // namespace c10::impl
