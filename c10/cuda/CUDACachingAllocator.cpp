// See Note [CUDA memory].

#include <c10/cuda/CUDACachingAllocator.h>

#include <c10/cuda/BadFork.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <c10/cuda/CUDAIpc.h>
#include <c10/cuda/MemoryHistory.h>
#include <c10/cuda/impl/AllocatorConfig.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <c10/cuda/impl/ExpandableBlocks.h>
#include <c10/cuda/impl/MemoryListener.h>
#include <c10/cuda/impl/RelaxedCapture.h>
#include <fmt/format.h>

namespace c10::cuda::CUDACachingAllocator {
namespace {

constexpr size_t kMinBlock = 512;
constexpr size_t kSmallRequest = 1 << 20;
constexpr size_t kSmallSegment = 2 << 20;
constexpr size_t kMediumRequest = 10 << 20;
constexpr size_t kMediumSegment = 20 << 20;
constexpr size_t kLargeStep = 2 << 20;
// What may remain unused of a large block that is not split.
constexpr size_t kMaxUnusedOfLarge = 1 << 20;

size_t round_size(size_t bytes) {
  if (!impl::caches_memory()) return bytes;
  size_t steps = impl::AllocatorConfig::get().divisions_for(bytes);
  if (steps > 1 && bytes > kMinBlock * steps) {
    size_t power = size_t{1} << (63 - __builtin_clzll(bytes));
    size_t step = power / steps;
    return (bytes + step - 1) / step * step;
  }
  return std::max(kMinBlock, (bytes + kMinBlock - 1) / kMinBlock * kMinBlock);
}

// Whether each block of the pool has a segment of its own.
bool is_unsplit(const Pool& pool) { return pool.owner && pool.owner->options.no_split; }

size_t segment_size(const Pool& pool, size_t size) {
  if (!impl::caches_memory() || is_unsplit(pool)) return size;
  if (size <= kSmallRequest) return kSmallSegment;
  if (size < kMediumRequest) return kMediumSegment;
  return (size + kLargeStep - 1) / kLargeStep * kLargeStep;
}

std::string readable(size_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024;
  for (const char* unit : {"KiB", "MiB"}) {
    if (value < 1024) return fmt::format("{:.2f} {}", value, unit);
    value /= 1024;
  }
  return fmt::format("{:.2f} GiB", value);
}

void add(StatArray& stat, const Pool& pool, int64_t amount) {
  stat[kAll].add(amount);
  stat[pool.is_small ? kSmallPool : kLargePool].add(amount);
}

bool is_oversize(size_t size, const Pool& pool) {
  return !pool.is_small && size >= impl::AllocatorConfig::get().max_split_size;
}

// Whether new memory comes from expandable segments.
bool expands(DeviceIndex device) {
  if (!impl::caches_memory() || !impl::AllocatorConfig::get().expandable_segments) return false;
  if (impl::ExpandableSegment::is_supported(device)) return true;
  TORCH_WARN_ONCE(
      "expandable_segments: this GPU or its driver has no virtual memory management; segments of "
      "cudaMalloc are used");
  return false;
}

}  // namespace

// The memory of one device.
class DeviceMemory final : ExpandableBlocks {
 public:
  explicit DeviceMemory(DeviceIndex device) : ExpandableBlocks(device, this) {}

  Block* allocate(size_t bytes, cudaStream_t stream) {
    MemoryContext context = impl::context_of(TraceAction::kAlloc);
    const bool is_expandable = expands(device_);
    std::unique_lock<std::mutex> lock(mutex_);
    if (captures_ == 0) finish_events();
    const size_t size = round_size(bytes);
    Pool& pool = pool_for(size, stream);
    Block* block = impl::caches_memory() ? find_free(pool, size, stream) : nullptr;
    if (!block && captures_ == 0) {
      // Blocks that other processes are done with. Without the lock: sending a block takes both.
      lock.unlock();
      const bool may_return = ipc::has_waiting();
      if (may_return) ipc::collect();
      lock.lock();
      if (may_return) block = find_free(pool, size, stream);
    }
    if (!block) {
      collect_garbage(segment_size(pool, size));
      block = take_memory(pool, size, stream, is_expandable);
      if (!block && captures_ == 0) {
        ++stats_.num_alloc_retries;
        release_cached();
        block = take_memory(pool, size, stream, is_expandable);
      }
      if (!block && !pool.owner) block = find_in_last_resorts(size, stream);
      if (!block) fail(lock, bytes, segment_size(pool, size));
    }
    take(block, size, bytes);
    block->context = context;
    trace(TraceAction::kAlloc, *block, std::move(context));
    tell_listener(*block, static_cast<int64_t>(block->size));
    return block;
  }

  void free(Block* block) {
    MemoryContext context = impl::context_of(TraceAction::kFreeRequested);
    std::lock_guard<std::mutex> lock(mutex_);
    trace(TraceAction::kFreeRequested, *block, std::move(context));
    block->context = nullptr;
    block->allocated = false;
    add(stats_.allocation, *block->pool, -1);
    if (is_oversize(block->size, *block->pool)) stats_.oversize_allocations.add(-1);
    add(stats_.allocated_bytes, *block->pool, -static_cast<int64_t>(block->size));
    add(stats_.requested_bytes, *block->pool, -static_cast<int64_t>(block->requested));
    tell_listener(*block, -static_cast<int64_t>(block->size));
    if (block->other_streams.empty()) return put_back(block);
    if (captures_ > 0) {
      // Events cannot be asked while a graph is captured.
      waiting_for_capture_.push_back(block);
      return;
    }
    wait_for_streams(block);
  }

  void record(Block* block, CUDAStream stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (stream.stream() == block->stream) return;
    block->other_streams.insert({stream.device_index(), stream.id()});
  }

  char* base_of(const Block* block) {
    std::lock_guard<std::mutex> lock(mutex_);
    while (block->previous) block = block->previous;
    return block->address;
  }

  void empty_cache() {
    std::lock_guard<std::mutex> lock(mutex_);
    release_cached();
  }

  void set_fraction(double fraction) {
    size_t free, total;
    impl::DeviceScope scope(device_);
    C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    std::lock_guard<std::mutex> lock(mutex_);
    fraction_ = fraction;
    limit_ = static_cast<size_t>(fraction * static_cast<double>(total));
  }
  double fraction() {
    std::lock_guard<std::mutex> lock(mutex_);
    return fraction_;
  }

  DeviceStats stats() {
    std::lock_guard<std::mutex> lock(mutex_);
    return stats_;
  }
  std::vector<std::pair<MempoolId, StatArray>> private_pool_stats() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::pair<MempoolId, StatArray>> all;
    for (const auto& [id, pool] : private_pools_) all.emplace_back(id, pool->reserved_bytes);
    return all;
  }
  template <typename F>
  void reset_stats(F f) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (StatArray* all :
         {&stats_.allocation, &stats_.segment, &stats_.active, &stats_.inactive_split,
          &stats_.allocated_bytes, &stats_.reserved_bytes, &stats_.active_bytes,
          &stats_.inactive_split_bytes, &stats_.requested_bytes})
      for (Stat& stat : *all) f(stat);
    for (auto& [id, pool] : private_pools_)
      for (Stat& stat : pool->reserved_bytes) f(stat);
    f(stats_.oversize_allocations);
    f(stats_.oversize_segments);
    f(stats_);
  }

  void describe(std::vector<SegmentInfo>& all) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Block* head : segments_) {
      // Of an expandable segment, pages without a gap between them.
      for (Block* b = head; b;) {
        if (b->is_mapped) b = describe(b, all);
        else b = b->next;
      }
    }
  }

  void allow_peer(DeviceIndex peer) {
    std::lock_guard<std::mutex> lock(mutex_);
    allow(peer);
  }

  void create_pool(MempoolId id, const PoolOptions& options) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto& pool = private_pools_[id];
    TORCH_CHECK(!pool, "there is a memory pool of this id already");
    pool = std::make_unique<PrivatePool>();
    pool->id = id;
    pool->options = options;
  }
  void begin_pool(MempoolId id, std::function<bool(cudaStream_t)> filter, bool is_capture) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto& pool = private_pools_[id];
    if (!pool) {
      pool = std::make_unique<PrivatePool>();
      pool->id = id;
    } else {
      ++pool->users;
    }
    for (const Redirection& other : redirections_) {
      if (other.pool != id) continue;
      --pool->users;
      TORCH_CHECK(false, "this memory pool is in use by another capture");
    }
    redirections_.push_back({id, std::move(filter), is_capture});
    captures_ += is_capture;
  }
  void end_pool(MempoolId id) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto at = std::find_if(redirections_.begin(), redirections_.end(),
                           [&](const Redirection& r) { return r.pool == id; });
    TORCH_CHECK(at != redirections_.end(), "no allocation to this memory pool is under way");
    captures_ -= at->is_capture;
    redirections_.erase(at);
    if (captures_ > 0) return;
    for (Block* block : std::exchange(waiting_for_capture_, {})) wait_for_streams(block);
  }
  void release_pool(MempoolId id) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto at = private_pools_.find(id);
    TORCH_CHECK(at != private_pools_.end() && at->second->users > 0,
                "there is no memory pool of this id");
    --at->second->users;
  }
  void empty_pool(MempoolId id) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (captures_ > 0) return;
    auto at = private_pools_.find(id);
    if (at == private_pools_.end() || at->second->users > 0) return;
    finish_events(true);
    release_memory_of(at);
  }

 private:
  using PrivatePools = std::map<MempoolId, std::unique_ptr<PrivatePool>>;
  // Requests of these streams go to the pool.
  struct Redirection {
    MempoolId pool;
    std::function<bool(cudaStream_t)> filter;
    bool is_capture;
  };

  // Up to the next unmapped block, which it returns.
  Block* describe(Block* first, std::vector<SegmentInfo>& all) {
    SegmentInfo s{device_, reinterpret_cast<uintptr_t>(first->address), first->stream};
    s.is_large = !first->pool->is_small;
    s.is_expandable = first->segment != nullptr;
    s.pool = first->pool->owner ? first->pool->owner->id : MempoolId{0, 0};
    Block* b = first;
    for (; b && b->is_mapped; b = b->next) {
      s.blocks.push_back({reinterpret_cast<uintptr_t>(b->address), b->size, b->requested,
                          b->allocated, b->is_active(), b->context});
      s.total_size += b->size;
      if (b->allocated) s.allocated_size += b->size;
      if (b->is_active()) s.active_size += b->size, s.requested_size += b->requested;
    }
    all.push_back(std::move(s));
    return b;
  }

  void trace(TraceAction action, const Block& block, MemoryContext context = nullptr) {
    impl::add_entry(action, device_, block.address, block.size, block.stream, std::move(context));
  }

  void tell_listener(const Block& block, int64_t bytes) const {
    if (impl::MemoryListener listener = impl::g_memory_listener.load(std::memory_order_relaxed))
      listener(device_, block.address, bytes, stats_.allocated_bytes[kAll].current,
               stats_.reserved_bytes[kAll].current);
  }

  Pool& pool_for(size_t size, cudaStream_t stream) {
    const bool is_small = size <= kSmallRequest;
    // The one that began last is the innermost.
    for (auto at = redirections_.rbegin(); at != redirections_.rend(); ++at) {
      if (!at->filter(stream)) continue;
      PrivatePool& mine = *private_pools_.at(at->pool);
      return is_small ? mine.small : mine.large;
    }
    return is_small ? small_ : large_;
  }

  Block* find_free(Pool& pool, size_t size, cudaStream_t stream) {
    Block key{stream, size, nullptr, &pool, this};
    auto at = pool.free.lower_bound(&key);
    if (at == pool.free.end() || (*at)->stream != stream) return nullptr;
    const size_t max_split = impl::AllocatorConfig::get().max_split_size;
    if ((*at)->segment) {
      // A block that can grow counts as what it can become: others fit better.
      for (auto other = at; other != pool.free.end() && (*other)->stream == stream; ++other) {
        if (can_grow(**other)) continue;
        at = other;
        break;
      }
    } else {
      // A block too large to be split is for requests of about its size.
      const bool splits = size < max_split && !is_unsplit(pool);
      if (splits && (*at)->size >= max_split) return nullptr;
      if (!splits && (*at)->size >= size + impl::AllocatorConfig::get().max_non_split_rounding)
        return nullptr;
    }
    Block* found = *at;
    pool.free.erase(at);
    return found;
  }

  // A free block of the pools that lend theirs to requests that fail.
  Block* find_in_last_resorts(size_t size, cudaStream_t stream) {
    for (auto& [id, pool] : private_pools_) {
      if (!pool->options.use_on_oom) continue;
      for (Pool* part : {&pool->small, &pool->large}) {
        if (Block* found = find_free(*part, size, stream)) return found;
      }
    }
    return nullptr;
  }

  static bool can_grow(const Block& block) {
    return block.segment && block.next && !block.next->is_mapped;
  }

  Block* take_memory(Pool& pool, size_t size, cudaStream_t stream, bool is_expandable) {
    const bool has_allocator = pool.owner && pool.owner->options.allocator;
    if (!is_expandable || has_allocator || is_unsplit(pool))
      return make_segment(pool, segment_size(pool, size), stream);
    auto reserved = static_cast<size_t>(stats_.reserved_bytes[kAll].current);
    impl::DeviceScope scope(device_);
    impl::RelaxedCapture relaxed;
    return grow(pool, pool.is_small ? kSmallSegment : kMediumSegment, size, stream,
                limit_ - std::min(limit_, reserved));
  }

  void on_pages(const Block& range, bool are_mapped) override {
    ++(are_mapped ? stats_.num_device_alloc : stats_.num_device_free);
    const auto size = static_cast<int64_t>(range.size);
    add_reserved(*range.pool, are_mapped ? size : -size);
    trace(are_mapped ? TraceAction::kSegmentMap : TraceAction::kSegmentUnmap, range);
  }
  void on_segments(Pool& pool, int change) override {
    if (pool.owner) pool.owner->segments += change;
    add(stats_.segment, pool, change);
  }

  void add_reserved(Pool& pool, int64_t bytes) {
    add(stats_.reserved_bytes, pool, bytes);
    if (pool.owner) add(pool.owner->reserved_bytes, pool, bytes);
  }

  Block* make_segment(Pool& pool, size_t size, cudaStream_t stream) {
    auto reserved = static_cast<size_t>(stats_.reserved_bytes[kAll].current);
    if (reserved + size > limit_) return nullptr;
    impl::DeviceScope scope(device_);
    impl::RelaxedCapture relaxed;
    void* address = ask_for_memory(pool, size, stream);
    if (!address) return nullptr;
    ++stats_.num_device_alloc;
    auto* block = new Block{stream, size, static_cast<char*>(address), &pool, this};
    segments_.insert(block);
    if (pool.owner) ++pool.owner->segments;
    add(stats_.segment, pool, 1);
    if (is_oversize(size, pool)) stats_.oversize_segments.add(1);
    add_reserved(pool, static_cast<int64_t>(size));
    trace(TraceAction::kSegmentAlloc, *block);
    return block;
  }

  // Null if there is none.
  void* ask_for_memory(const Pool& pool, size_t size, cudaStream_t stream) const {
    if (pool.owner && pool.owner->options.allocator)
      return pool.owner->options.allocator->take(size, device_, stream);
    void* address = nullptr;
    cudaError_t error = cudaMalloc(&address, size);
    if (error == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      return nullptr;
    }
    C10_CUDA_CHECK(error);
    return address;
  }
  void return_memory(const Block& block) const {
    const Pool& pool = *block.pool;
    if (pool.owner && pool.owner->options.allocator)
      pool.owner->options.allocator->give_back(block.address, block.size, device_, block.stream);
    else C10_CUDA_CHECK(cudaFree(block.address));
  }

  // Cuts off what the request does not need.
  Block* take(Block* block, size_t size, size_t requested) {
    Pool& pool = *block->pool;
    const bool was_split = block->is_split();
    const size_t rest = block->size - size;
    const bool splits =
        !is_unsplit(pool) &&
        (pool.is_small || block->segment
             ? rest >= kMinBlock
             : size < impl::AllocatorConfig::get().max_split_size && rest > kMaxUnusedOfLarge);
    if (was_split) count_unused(*block, -1);
    if (splits) {
      Block* behind = split(block, size);
      pool.free.insert(behind);
      count_unused(*behind, 1);
    }
    block->allocated = true;
    block->requested = requested;
    add(stats_.allocation, pool, 1);
    if (is_oversize(block->size, pool)) stats_.oversize_allocations.add(1);
    add(stats_.allocated_bytes, pool, static_cast<int64_t>(block->size));
    add(stats_.requested_bytes, pool, static_cast<int64_t>(requested));
    add(stats_.active, pool, 1);
    add(stats_.active_bytes, pool, static_cast<int64_t>(block->size));
    return block;
  }

  // Free parts of segments that are not returned while the rest is in use.
  void count_unused(const Block& block, int sign) {
    if (block.segment) return;
    add(stats_.inactive_split, *block.pool, sign);
    add(stats_.inactive_split_bytes, *block.pool, sign * static_cast<int64_t>(block.size));
  }

  // Nobody uses the block any more: it joins its free neighbours.
  void put_back(Block* block) {
    Pool& pool = *block->pool;
    trace(TraceAction::kFreeCompleted, *block);
    add(stats_.active, pool, -1);
    add(stats_.active_bytes, pool, -static_cast<int64_t>(block->size));
    block->requested = 0;
    for (Block* other : {block->previous, block->next}) {
      if (!other || !other->is_free()) continue;
      pool.free.erase(other);
      count_unused(*other, -1);
      absorb(block, other, segments_);
    }
    pool.free.insert(block);
    if (block->is_split()) count_unused(*block, 1);
    if (!impl::caches_memory() && !block->is_split() && !block->segment) release(block);
  }

  void wait_for_streams(Block* block) {
    for (auto [device, id] : std::exchange(block->other_streams, {})) {
      CUDAStream stream(Stream(Stream::UNSAFE, Device(DeviceType::CUDA, device), id));
      impl::DeviceScope scope(device);
      cudaEvent_t event;
      C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
      C10_CUDA_CHECK(cudaEventRecord(event, stream));
      ++block->pending_events;
      events_.push_back({event, block});
    }
  }

  // Gives back the blocks whose events have passed.
  void finish_events(bool waits = false) {
    impl::RelaxedCapture relaxed;
    if (waits) ++stats_.num_sync_all_streams;
    for (auto at = events_.begin(); at != events_.end();) {
      auto [event, block] = *at;
      cudaError_t state = waits ? cudaEventSynchronize(event) : cudaEventQuery(event);
      if (state == cudaErrorNotReady) {
        (void)cudaGetLastError();
        ++at;
        continue;
      }
      C10_CUDA_CHECK(state);
      C10_CUDA_IGNORE(cudaEventDestroy(event));
      at = events_.erase(at);
      if (--block->pending_events == 0) put_back(block);
    }
  }

  void release(Block* block) {
    impl::DeviceScope scope(device_);
    impl::RelaxedCapture relaxed;
    Pool& pool = *block->pool;
    return_memory(*block);
    trace(TraceAction::kSegmentFree, *block);
    ++stats_.num_device_free;
    add(stats_.segment, pool, -1);
    if (is_oversize(block->size, pool)) stats_.oversize_segments.add(-1);
    add_reserved(pool, -static_cast<int64_t>(block->size));
    pool.free.erase(block);
    segments_.erase(block);
    if (pool.owner) --pool.owner->segments;
    delete block;
  }

  void release_free(Pool& pool) {
    for (auto at = pool.free.begin(); at != pool.free.end();) {
      Block* block = *at++;
      if (!block->is_split() && !block->segment) release(block);
    }
    impl::DeviceScope scope(device_);
    impl::RelaxedCapture relaxed;
    shrink(pool);
  }

  void release_cached() {
    if (captures_ > 0) return;
    finish_events(true);
    release_free(large_);
    release_free(small_);
    for (auto at = private_pools_.begin(); at != private_pools_.end();)
      at = at->second->users == 0 ? release_memory_of(at) : std::next(at);
  }
  // Of a pool without users, which goes too if no tensor is left in it. Returns the next one.
  PrivatePools::iterator release_memory_of(PrivatePools::iterator at) {
    PrivatePool& pool = *at->second;
    release_free(pool.large);
    release_free(pool.small);
    return pool.segments == 0 ? private_pools_.erase(at) : std::next(at);
  }

  void collect_garbage(size_t requested) {
    double threshold = impl::AllocatorConfig::get().garbage_collection_threshold;
    if (threshold <= 0 || limit_ == std::numeric_limits<size_t>::max() || captures_ > 0) return;
    auto reserved = static_cast<double>(stats_.reserved_bytes[kAll].current);
    if (reserved + static_cast<double>(requested) > threshold * static_cast<double>(limit_))
      release_free(large_);
  }

  [[noreturn]] void fail(std::unique_lock<std::mutex>& lock, size_t bytes, size_t segment) {
    ++stats_.num_ooms;
    auto allocated = static_cast<size_t>(stats_.allocated_bytes[kAll].current);
    auto reserved = static_cast<size_t>(stats_.reserved_bytes[kAll].current);
    double fraction = fraction_;
    bool is_limited = fraction < 1 && reserved + segment > limit_;
    size_t in_graphs = 0;
    for (const auto& [id, pool] : private_pools_)
      in_graphs += static_cast<size_t>(pool->reserved_bytes[kAll].current);
    lock.unlock();
    size_t free = 0, total = 0;
    impl::DeviceScope scope(device_);
    C10_CUDA_IGNORE(cudaMemGetInfo(&free, &total));
    impl::add_entry(TraceAction::kOutOfMemory, device_, reinterpret_cast<const void*>(free), bytes,
                    nullptr, impl::context_of(TraceAction::kAlloc));
    std::string text = fmt::format(
        "CUDA out of memory: tried to allocate {} on cuda:{}, which has {} in all and {} free. "
        "Tensors of this process use {}; {} more are reserved by torch and not in use",
        readable(bytes), static_cast<int>(device_), readable(total), readable(free),
        readable(allocated), readable(reserved - allocated));
    size_t others = total - std::min(total, free + reserved);
    if (others)
      text += fmt::format("; other processes and the driver hold {} (nvidia-smi lists them)",
                          readable(others));
    if (in_graphs)
      text +=
          fmt::format("; pools of CUDA graphs and torch.cuda.MemPool hold {} of what is reserved",
                      readable(in_graphs));
    if (is_limited)
      text += fmt::format(
          ". This process may use {:.0f} % of the memory (set_per_process_memory_fraction)",
          fraction * 100);
    if (reserved - allocated > bytes)
      text +=
          ". What is reserved is in pieces too small for this request: "
          "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True avoids that, max_split_size_mb:N may";
    else
      text +=
          ". Smaller batches, torch.utils.checkpoint or a lower precision need less; "
          "torch.cuda.memory_summary() shows what is held";
    throw DeviceOutOfMemoryError(text + ".");
  }

  std::mutex mutex_;
  Pool small_{{}, true, nullptr}, large_{{}, false, nullptr};
  PrivatePools private_pools_;
  std::vector<Redirection> redirections_;
  int captures_ = 0;  // redirections for graphs
  std::vector<Block*> waiting_for_capture_;
  std::deque<std::pair<cudaEvent_t, Block*>> events_;
  DeviceStats stats_;
  double fraction_ = 1;
  size_t limit_ = std::numeric_limits<size_t>::max();
};

namespace {

// Never destroyed: tensors may outlive the static objects of this library.
DeviceMemory& memory_of(DeviceIndex device) {
  static auto* all = [] {
    auto* made = new std::vector<std::unique_ptr<DeviceMemory>>();
    for (DeviceIndex d = 0; d < device_count(); ++d)
      made->push_back(std::make_unique<DeviceMemory>(d));
    const double fraction = impl::AllocatorConfig::get().per_process_memory_fraction;
    for (const auto& one : *made) {
      if (fraction < 1) one->set_fraction(fraction);
    }
    return made;
  }();
  check_device(device);
  return *(*all)[static_cast<size_t>(device)];
}

// Blocks of raw_alloc by address, for those who free them.
struct RawBlocks {
  std::mutex mutex;
  std::unordered_map<void*, Block*> by_address;
};
RawBlocks& raw_blocks() {
  static auto* all = new RawBlocks();
  return *all;
}

Block* allocate_on(DeviceIndex device, size_t bytes, cudaStream_t stream) {
  constexpr size_t kMaxRequest = size_t{1} << 60;
  if (bytes >= kMaxRequest)
    throw DeviceOutOfMemoryError(
        "CUDA out of memory: tried to allocate more than 1 EiB, which no device has");
  return memory_of(device).allocate(bytes, stream);
}

void free_block(void* block) {
  if (is_in_bad_fork()) return;  // the parent's memory
  auto* mine = static_cast<Block*>(block);
  mine->memory->free(mine);
}

struct CachingAllocator final : Allocator {
  DataPtr allocate(size_t bytes) override {
    DeviceIndex index = current_device();
    check_device(index);
    Device device(DeviceType::CUDA, index);
    if (bytes == 0) return DataPtr(nullptr, device);
    Block* block = allocate_on(index, bytes, getCurrentCUDAStream(index));
    return DataPtr(block->address, block, &free_block, device);
  }
};
CachingAllocator g_allocator;
[[maybe_unused]] const bool g_registered = (SetAllocator(DeviceType::CUDA, &g_allocator), true);

}  // namespace

void Stat::add(int64_t amount) {
  current += amount;
  peak = std::max(peak, current);
  (amount > 0 ? allocated : freed) += amount > 0 ? amount : -amount;
}

Allocator* get() { return &g_allocator; }

void* raw_alloc(size_t bytes) { return raw_alloc_with_stream(bytes, getCurrentCUDAStream()); }
void* raw_alloc_with_stream(size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return nullptr;
  Block* block = allocate_on(current_device(), bytes, stream);
  std::lock_guard<std::mutex> lock(raw_blocks().mutex);
  raw_blocks().by_address[block->address] = block;
  return block->address;
}
void raw_delete(void* address) {
  if (!address) return;
  Block* block = nullptr;
  {
    std::lock_guard<std::mutex> lock(raw_blocks().mutex);
    auto at = raw_blocks().by_address.find(address);
    TORCH_CHECK(at != raw_blocks().by_address.end(),
                "this address is not one that raw_alloc returned, or was freed already");
    block = at->second;
    raw_blocks().by_address.erase(at);
  }
  free_block(block);
}

void recordStream(const DataPtr& given, CUDAStream stream) {
  if (ipc::record_stream(given, stream)) return;
  const DataPtr& data = ipc::original(given);
  // Memory that came from elsewhere (DLPack) is not ours to reuse.
  if (data.get_deleter() != &free_block) return;
  auto* block = static_cast<Block*>(data.get_context());
  block->memory->record(block, stream);
}

Allocation allocationOf(const DataPtr& data) {
  TORCH_CHECK(
      data.get_deleter() == &free_block,
      "memory that torch's allocator did not take cannot be sent to another process: send a "
      "clone() of the tensor");
  auto* block = static_cast<Block*>(data.get_context());
  return {block->memory->base_of(block), block->segment};
}

void allowPeerAccess(DeviceIndex device, DeviceIndex peer) { memory_of(peer).allow_peer(device); }

void emptyCache() {
  ipc::collect();
  for (DeviceIndex d = 0; d < device_count(); ++d) memory_of(d).empty_cache();
}

void setMemoryFraction(double fraction, DeviceIndex device) {
  TORCH_CHECK_VALUE(fraction >= 0 && fraction <= 1,
                    "set_per_process_memory_fraction(): expected a fraction from 0 to 1, got ",
                    fraction);
  memory_of(device_or_current(device)).set_fraction(fraction);
}
void setCaching(bool caches) { impl::set_caches_memory(caches); }
bool isCaching() { return impl::caches_memory(); }

double getMemoryFraction(DeviceIndex device) {
  return memory_of(device_or_current(device)).fraction();
}

DeviceStats getDeviceStats(DeviceIndex device) {
  return memory_of(device_or_current(device)).stats();
}
std::vector<std::pair<MempoolId, StatArray>> getPrivatePoolStats(DeviceIndex device) {
  return memory_of(device_or_current(device)).private_pool_stats();
}

void resetAccumulatedStats(DeviceIndex device) {
  struct Reset {
    void operator()(Stat& s) { s.allocated = s.freed = 0; }
    void operator()(DeviceStats& s) {
      s.num_alloc_retries = s.num_ooms = s.num_device_alloc = s.num_device_free = 0;
      s.num_sync_all_streams = 0;
    }
  };
  memory_of(device_or_current(device)).reset_stats(Reset());
}
void resetPeakStats(DeviceIndex device) {
  struct Reset {
    void operator()(Stat& s) { s.peak = s.current; }
    void operator()(DeviceStats&) {}
  };
  memory_of(device_or_current(device)).reset_stats(Reset());
}

std::vector<SegmentInfo> snapshot() {
  std::vector<SegmentInfo> all;
  for (DeviceIndex d = 0; d < device_count(); ++d) memory_of(d).describe(all);
  return all;
}

void beginAllocateToPool(DeviceIndex device, MempoolId id,
                         std::function<bool(cudaStream_t)> filter) {
  memory_of(device).begin_pool(id, std::move(filter), true);
}
void beginUseOfPool(DeviceIndex device, MempoolId id, std::function<bool(cudaStream_t)> filter) {
  memory_of(device).begin_pool(id, std::move(filter), false);
}
void createPool(DeviceIndex device, MempoolId id, const PoolOptions& options) {
  memory_of(device).create_pool(id, options);
}
void emptyPool(DeviceIndex device, MempoolId id) { memory_of(device).empty_pool(id); }
void endAllocateToPool(DeviceIndex device, MempoolId id) { memory_of(device).end_pool(id); }
void releasePool(DeviceIndex device, MempoolId id) { memory_of(device).release_pool(id); }

}  // namespace c10::cuda::CUDACachingAllocator
