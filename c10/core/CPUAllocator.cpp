// The CPU's caching allocator: entry points, settings and statistics.

#include <c10/core/CPUAllocator.h>

#include <c10/core/impl/LargeBlocks.h>
#include <c10/core/impl/SmallBlocks.h>
#include <c10/util/Environment.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <pthread.h>
#include <csignal>
#include <ctime>

namespace c10 {

using namespace impl;

namespace {

impl::LargeBlocks large_blocks;

struct Settings;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMallocByDefault = true;
#else
constexpr bool kMallocByDefault = false;
#endif

// Parses the number at the start of the variable's text, and the `rest` behind it; false if it is
// not set.
bool number_from_environment(const char* name, size_t& value, const char*& rest) {
  const char* text = std::getenv(name);
  if (!text || !*text) {
    return false;
  }
  char* end = nullptr;
  errno = 0;
  value = std::strtoull(text, &end, 10);
  rest = end == text || errno != 0 || *text == '-' ? "?" : end;
  return true;
}

// 512, 64K, 100M, 2G.
size_t bytes_from_environment(const char* name, size_t otherwise) {
  size_t value = 0;
  const char* rest = nullptr;
  if (!number_from_environment(name, value, rest)) {
    return otherwise;
  }
  const int shift = *rest == 'K' ? 10 : *rest == 'M' ? 20 : *rest == 'G' ? 30 : 0;
  if ((shift != 0 ? rest[1] : rest[0]) != '\0' || (value << shift) >> shift != value) {
    TORCH_WARN(name, "=", std::getenv(name),
               " is not a number of bytes with K, M or G behind it; it is ignored");
    return otherwise;
  }
  return value << shift;
}

size_t seconds_from_environment(const char* name, size_t otherwise) {
  constexpr size_t kLongest = size_t{1} << 40;
  size_t value = 0;
  const char* rest = nullptr;
  if (!number_from_environment(name, value, rest)) {
    return otherwise;
  }
  if (*rest != '\0' || value > kLongest) {
    TORCH_WARN(name, "=", std::getenv(name),
               " is not a whole number of seconds, without a unit behind it; it is ignored");
    return otherwise;
  }
  return value;
}

bool malloc_from_environment() {
  const int requested = env_choice("TORCH_CPU_ALLOCATOR", {"caching", "malloc"});
  return requested < 0 ? kMallocByDefault : requested == 1;
}

const Settings& settings();

void before_fork() {
  settings();  // now, before other threads run
  lock_small_blocks();
  large_blocks.mutex.lock();
}
void after_fork() {
  large_blocks.mutex.unlock();
  unlock_small_blocks();
}

void after_fork_in_child() {
  drop_other_caches_after_fork();
  after_fork();
  large_blocks.drop_after_fork();
}

// Note [Idle memory]
// A process that stops allocating still returns its cached large blocks: a thread, started when the
// first block is cached, sleeps until the oldest one expires and ends when none is left. It handles
// no signals, and does not exist in processes that cache nothing.
void* watch_idle_blocks(void*) {
  while (const uint64_t wait = large_blocks.expire()) {
    const timespec time{static_cast<time_t>(wait / 1000), static_cast<long>(wait % 1000) * 1000000};
    nanosleep(&time, nullptr);
  }
  return nullptr;
}

C10_COLD void start_watching_idle_blocks() {
  constexpr size_t kStack = size_t{256} << 10;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, watch_idle_blocks, nullptr) == 0) {
    pthread_setname_np(thread, "torch_idle_mem");
  } else {
    large_blocks.not_watched();
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void release_large(void* data) {
  if (C10_UNLIKELY(large_blocks.release(data))) {
    start_watching_idle_blocks();
  }
}

// Settings are read at the first slow path, and not when the library is loaded.
struct Settings {
  bool use_malloc = malloc_from_environment();

  Settings() {
    large_blocks.set_limits(
        bytes_from_environment("TORCH_CPU_ALLOCATOR_MAX_CACHED", total_memory() / 8),
        uint64_t{1000} * seconds_from_environment("TORCH_CPU_ALLOCATOR_MAX_IDLE", 10));
  }
};

const Settings& settings() {
  static const Settings* const instance = new Settings();
  return *instance;
}

// Registered when the library is loaded, before the handlers of other code that allocates while
// holding a lock: the handlers of all others run first. See Note [Mutexes and fork].
[[maybe_unused]] const int fork_handler =
    pthread_atfork(before_fork, after_fork, after_fork_in_child);

std::string readable(uint64_t bytes) {
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) {
    value /= 1024;
  }
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
  return text;
}

[[noreturn]] C10_COLD void out_of_memory(size_t nbytes) {
  const CPUAllocatorStats stats = cpu_allocator_stats();
  TORCH_CHECK_OUT_OF_MEMORY(
      false, "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", nbytes,
      " bytes (", readable(nbytes), "). Tensors hold ", readable(stats.allocated_bytes),
      " now, and ", readable(std::min<size_t>(available_memory(), total_memory())), " of ",
      readable(total_memory()), " are available.");
}

C10_COLD void* allocate_with_malloc(size_t nbytes) {
  void* data = nullptr;
  if (nbytes > PTRDIFF_MAX || posix_memalign(&data, gAlignment, nbytes) != 0) {
    out_of_memory(nbytes);
  }
  return data;
}

// Everything except a pop from the thread's own list.
C10_NOINLINE void* allocate_slow(size_t nbytes) {
  if (nbytes == 0) {
    return nullptr;
  }
  if (C10_UNLIKELY(settings().use_malloc)) {
    return allocate_with_malloc(nbytes);
  }
  void* data = nullptr;
  if (nbytes > kMaxSmall) {
    data = large_blocks.allocate(nbytes);
  } else {
    data = allocate_small_slow(size_class_of(nbytes));
    if (C10_UNLIKELY(!data)) {
      large_blocks.empty_cache();
      data = allocate_small_slow(size_class_of(nbytes));
    }
  }
  if (C10_UNLIKELY(!data)) {
    out_of_memory(nbytes);
  }
  return data;
}

C10_NOINLINE void free_slow(void* data) {
  if (!data) {
    return;
  }
  if (settings().use_malloc) {
    std::free(data);
  } else if (region_of(data)->size_class == kLargeClass) {
    release_large(data);
  } else {
    release_small_slow(data);
  }
}

// The functions used with TORCH_LOGS=allocator.
C10_ALWAYS_INLINE void* allocate_quietly(size_t nbytes);
C10_ALWAYS_INLINE void free_quietly(void* data);

C10_NOINLINE void* allocate_logged(size_t nbytes) {
  const CPUAllocatorStats before = cpu_allocator_stats();
  void* data = allocate_quietly(nbytes);
  const CPUAllocatorStats after = cpu_allocator_stats();
  C10_LOG_ARTIFACT(
      Allocator, "allocate ", nbytes, " bytes at ", static_cast<const void*>(data), ", ",
      after.system_maps != before.system_maps ? "mapped from the system" : "from the cache",
      "; tensors hold ", after.allocated_bytes, " bytes, ", after.cached_bytes, " are cached");
  return data;
}

C10_NOINLINE void free_logged(void* data) {
  const size_t size = usable_size_cpu(data);
  const uint64_t unmaps = cpu_allocator_stats().system_unmaps;
  free_quietly(data);
  const CPUAllocatorStats after = cpu_allocator_stats();
  C10_LOG_ARTIFACT(Allocator, "free ", size, " bytes at ", static_cast<const void*>(data),
                   after.system_unmaps != unmaps ? ", mappings went back to the system" : "",
                   "; tensors hold ", after.allocated_bytes, " bytes, ", after.cached_bytes,
                   " are cached");
}

class CachingCPUAllocator final : public Allocator {
 public:
  DataPtr allocate(size_t nbytes) override {
    void* data = alloc_cpu(nbytes);
    return DataPtr(data, data, &free_cpu, Device(DeviceType::CPU));
  }
};

CachingCPUAllocator caching_allocator;
[[maybe_unused]] const bool registered = (SetAllocator(DeviceType::CPU, &caching_allocator), true);

C10_ALWAYS_INLINE void* allocate_quietly(size_t nbytes) {
  ThreadCache* cache = thread_cache;
  if (C10_LIKELY(nbytes <= kMaxSmall && cache)) {
    FreeList& list = cache->lists[size_class_of(nbytes)];
    void* block = list.head;
    if (C10_LIKELY(block != nullptr)) {
      list.head = *static_cast<void**>(block);
      list.count--;
      __atomic_store_n(&list.allocations, list.allocations + 1, __ATOMIC_RELAXED);
      return block;
    }
  }
  return allocate_slow(nbytes);
}

C10_ALWAYS_INLINE void free_quietly(void* data) {
  ThreadCache* cache = thread_cache;
  if (C10_UNLIKELY(!cache || !data)) {
    return free_slow(data);
  }
  const uint32_t size_class = region_of(data)->size_class;
  if (C10_UNLIKELY(size_class == kLargeClass)) {
    return release_large(data);
  }
  FreeList& list = cache->lists[size_class];
  *static_cast<void**>(data) = list.head;
  list.head = data;
  __atomic_store_n(&list.frees, list.frees + 1, __ATOMIC_RELAXED);
  if (C10_UNLIKELY(++list.count > list.limit)) {
    flush_list(cache, size_class);
  }
}

}  // namespace

void* alloc_cpu(size_t nbytes) {
  return log_enabled(LogArtifact::Allocator) ? allocate_logged(nbytes) : allocate_quietly(nbytes);
}

void free_cpu(void* data) {
  return log_enabled(LogArtifact::Allocator) && data ? free_logged(data) : free_quietly(data);
}

size_t usable_size_cpu(void* data) {
  if (!data || settings().use_malloc) {
    return 0;
  }
  const uint32_t size_class = region_of(data)->size_class;
  return size_class == kLargeClass ? large_blocks.usable_size(data) : size_of_class(size_class);
}

CPUAllocatorStats cpu_allocator_stats() {
  const SmallStats small = small_stats();
  large_blocks.note_small(small.in_use, small.reserved);
  const LargeStats large = large_blocks.stats();
  CPUAllocatorStats stats;
  stats.allocations = small.allocations + large.allocations;
  stats.frees = small.frees + large.frees;
  stats.allocated_bytes = small.in_use + large.in_use;
  stats.peak_allocated_bytes = large.peak_in_use;
  stats.cached_bytes = small.reserved - std::min(small.reserved, small.in_use) + large.cached;
  stats.reserved_bytes = small.reserved + large.in_use + large.cached;
  stats.peak_reserved_bytes = large.peak_reserved;
  stats.system_maps = small.maps + large.maps;
  stats.system_unmaps = small.unmaps + large.unmaps;
  stats.cache_hits = large.hits;
  return stats;
}

void reset_peak_cpu_allocator_stats() { large_blocks.reset_peaks(); }

void empty_cpu_cache() {
  C10_LOG_ARTIFACT(Allocator, "empty the cache of ", cpu_allocator_stats().cached_bytes, " bytes");
  empty_small_cache();
  large_blocks.empty_cache();
}

bool cpu_allocator_is_caching() { return !settings().use_malloc; }

Allocator* GetCPUAllocator() { return GetAllocator(DeviceType::CPU); }
void SetCPUAllocator(Allocator* allocator) { SetAllocator(DeviceType::CPU, allocator); }
Allocator* GetDefaultCPUAllocator() { return &caching_allocator; }

}  // namespace c10
