// See Note [Pinned memory].

#include <c10/cuda/PinnedMemory.h>

#include <c10/cuda/BadFork.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include <c10/core/impl/PinnedMemory.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <c10/cuda/impl/RelaxedCapture.h>

namespace c10::cuda {
namespace {

constexpr size_t kMinBlock = 512;
constexpr int kNumSizes = 64;

struct Block {
  char* address;
  int size;  // its logarithm
  std::set<std::pair<DeviceIndex, StreamId>> streams;
  int pending_events = 0;
};

class Timed {
 public:
  explicit Timed(DurationStat& to) : to_(to), begin_(Clock::now()) {}
  ~Timed() {
    using std::chrono::microseconds;
    to_.add(std::chrono::duration_cast<microseconds>(Clock::now() - begin_).count());
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  DurationStat& to_;
  Clock::time_point begin_;
};

int size_class(size_t bytes) {
  int size = 9;
  static_assert(kMinBlock == size_t{1} << 9);
  while ((size_t{1} << size) < bytes) ++size;
  return size;
}

class Blocks {
 public:
  Block* allocate(size_t bytes) {
    constexpr size_t kMaxRequest = size_t{1} << 60;
    if (bytes > kMaxRequest)
      throw OutOfMemoryError("pinned memory: asked for more than 1 EiB, which no machine has");
    std::lock_guard<std::mutex> lock(mutex_);
    finish_events();
    const int size = size_class(bytes);
    auto& free = free_[static_cast<size_t>(size)];
    Block* block = nullptr;
    if (!free.empty()) {
      block = free.back();
      free.pop_back();
    } else {
      block = make(size);
    }
    stats_.active_bytes.add(int64_t{1} << size);
    stats_.active_requests.add(1);
    return block;
  }

  void free(Block* block) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto [device, id] : std::exchange(block->streams, {})) {
      impl::DeviceScope scope(device);
      CUDAStream stream(Stream(Stream::UNSAFE, Device(DeviceType::CUDA, device), id));
      // What is captured has not used the memory; whoever replays it keeps the tensor.
      if (is_capturing(stream)) continue;
      cudaEvent_t event;
      C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
      C10_CUDA_CHECK(cudaEventRecord(event, stream));
      ++block->pending_events;
      events_.push_back({event, block});
    }
    if (block->pending_events == 0) put_back(block);
  }

  void record(Block* block, CUDAStream stream) {
    std::lock_guard<std::mutex> lock(mutex_);
    block->streams.insert({stream.device_index(), stream.id()});
  }

  bool contains(const void* address) {
    auto* at = const_cast<char*>(static_cast<const char*>(address));
    std::lock_guard<std::mutex> lock(mutex_);
    auto next = by_address_.upper_bound(at);
    if (next == by_address_.begin()) return false;
    const auto& [first, block] = *std::prev(next);
    return at < first + (size_t{1} << block->size);
  }

  void empty_cache() {
    std::lock_guard<std::mutex> lock(mutex_);
    finish_events();
    for (auto& free : free_) {
      for (Block* block : free) {
        {
          const Timed timed(stats_.free_time);
          C10_CUDA_CHECK(cudaFreeHost(block->address));
        }
        stats_.allocations.add(-1);
        stats_.allocated_bytes.add(-(int64_t{1} << block->size));
        by_address_.erase(block->address);
        delete block;
      }
      free.clear();
    }
  }

  PinnedMemoryStats stats() {
    std::lock_guard<std::mutex> lock(mutex_);
    return stats_;
  }
  void reset_stats(bool peaks, bool sums) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto* stat : {&stats_.allocations, &stats_.allocated_bytes, &stats_.active_requests,
                       &stats_.active_bytes}) {
      if (peaks) stat->peak = stat->current;
      if (sums) stat->allocated = stat->freed = 0;
    }
    if (sums) stats_.alloc_time = stats_.free_time = {};
  }

 private:
  Block* make(int size) {
    void* address = nullptr;
    impl::RelaxedCapture relaxed;
    const cudaError_t error = [&] {
      const Timed timed(stats_.alloc_time);
      return cudaHostAlloc(&address, size_t{1} << size, cudaHostAllocPortable);
    }();
    if (error == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      throw OutOfMemoryError("pinned memory: the system cannot pin " +
                             std::to_string(size_t{1} << size) + " bytes more");
    }
    C10_CUDA_CHECK(error);
    stats_.allocations.add(1);
    stats_.allocated_bytes.add(int64_t{1} << size);
    auto* block = new Block{static_cast<char*>(address), size, {}, 0};
    by_address_[block->address] = block;
    return block;
  }

  void put_back(Block* block) {
    stats_.active_requests.add(-1);
    stats_.active_bytes.add(-(int64_t{1} << block->size));
    free_[static_cast<size_t>(block->size)].push_back(block);
  }

  // Events of one stream pass in order: the first one that has not passed ends the look.
  void finish_events() {
    impl::RelaxedCapture relaxed;
    while (!events_.empty()) {
      auto [event, block] = events_.front();
      cudaError_t state = cudaEventQuery(event);
      if (state == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return;
      }
      C10_CUDA_CHECK(state);
      C10_CUDA_IGNORE(cudaEventDestroy(event));
      events_.pop_front();
      if (--block->pending_events == 0) put_back(block);
    }
  }

  std::mutex mutex_;
  std::array<std::vector<Block*>, kNumSizes> free_;
  std::map<char*, Block*> by_address_;
  std::deque<std::pair<cudaEvent_t, Block*>> events_;
  PinnedMemoryStats stats_;
};

// Never destroyed: tensors may outlive the static objects of this library.
Blocks& blocks() {
  static auto* all = new Blocks();
  return *all;
}

void free_block(void* block) {
  if (is_in_bad_fork()) return;  // events of the parent may stand behind it
  blocks().free(static_cast<Block*>(block));
}

struct PinnedAllocator final : Allocator {
  DataPtr allocate(size_t bytes) override {
    device_count_ensure_non_zero();
    if (bytes == 0) return DataPtr(nullptr, kCPU);
    Block* block = blocks().allocate(bytes);
    return DataPtr(block->address, block, &free_block, kCPU);
  }
};
PinnedAllocator g_allocator;

struct CUDAPinnedMemory final : c10::impl::PinnedMemory {
  Allocator* allocator() const override { return &g_allocator; }
  bool contains(const void* address) const override { return is_pinned(address); }
};
const CUDAPinnedMemory g_memory;
[[maybe_unused]] const bool g_registered =
    (c10::impl::register_pinned_memory(DeviceType::CUDA, &g_memory), true);

}  // namespace

void DurationStat::add(int64_t microseconds) {
  total += microseconds;
  max = std::max(max, microseconds);
  min = count == 0 ? microseconds : std::min(min, microseconds);
  ++count;
}

Allocator* pinned_allocator() { return &g_allocator; }

// Memory that others pinned (cudaHostRegister) counts, as CUDA knows it.
bool is_pinned(const void* address) {
  if (blocks().contains(address)) return true;
  if (device_count() == 0) return false;
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeHost;
}

bool record_pinned(const DataPtr& data, CUDAStream stream) {
  if (data.get_deleter() != &free_block) return false;
  blocks().record(static_cast<Block*>(data.get_context()), stream);
  return true;
}

void empty_pinned_cache() { blocks().empty_cache(); }
PinnedMemoryStats pinned_memory_stats() { return blocks().stats(); }
void reset_pinned_memory_stats(bool peaks, bool sums) { blocks().reset_stats(peaks, sums); }

}  // namespace c10::cuda
