// The entries of the history of device memory, in a ring for each device.

#include <c10/cuda/MemoryHistory.h>

#include <chrono>
#include <deque>
#include <map>
#include <mutex>

namespace c10::cuda::CUDACachingAllocator {
namespace {

struct History {
  std::mutex mutex;
  HistorySettings settings;
  std::map<DeviceIndex, std::deque<TraceEntry>> entries;
};
// Never destroyed: tensors may outlive the static objects of this library.
History& the_history() {
  static auto* one = new History();
  return *one;
}

int64_t microseconds() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

struct Observers {
  std::mutex mutex;
  std::deque<OutOfMemoryObserver> all;  // its elements stay where they are
};
Observers& observers() {
  static auto* one = new Observers();
  return *one;
}

void tell_observers(DeviceIndex device, size_t bytes, size_t free) {
  std::vector<OutOfMemoryObserver*> told;
  {
    std::lock_guard<std::mutex> lock(observers().mutex);
    for (auto& observer : observers().all) told.push_back(&observer);
  }
  if (told.empty()) return;
  const double fraction = getMemoryFraction(device);
  const auto total = static_cast<double>(device_properties(device).totalGlobalMem);
  for (auto* observer : told)
    (*observer)(device, bytes, static_cast<size_t>(fraction * total), free);
}

}  // namespace

void attach_out_of_memory_observer(OutOfMemoryObserver observer) {
  std::lock_guard<std::mutex> lock(observers().mutex);
  observers().all.push_back(std::move(observer));
}

void record_history(const HistorySettings& settings, bool clears) {
  History& h = the_history();
  // Contexts are destroyed without the lock: their owner may take others.
  std::map<DeviceIndex, std::deque<TraceEntry>> dropped;
  {
    std::lock_guard<std::mutex> lock(h.mutex);
    h.settings = settings;
    if (clears || !settings.is_enabled) dropped.swap(h.entries);
    for (auto& [device, entries] : h.entries) {
      while (entries.size() > settings.max_entries) {
        dropped[device].push_back(std::move(entries.front()));
        entries.pop_front();
      }
    }
  }
  impl::g_records_history = settings.is_enabled;
}

std::vector<TraceEntry> history(DeviceIndex device) {
  History& h = the_history();
  std::lock_guard<std::mutex> lock(h.mutex);
  const auto& entries = h.entries[device];
  return {entries.begin(), entries.end()};
}

}  // namespace c10::cuda::CUDACachingAllocator

namespace c10::cuda::impl {

using namespace CUDACachingAllocator;

std::atomic<bool> g_records_history{false};

MemoryContext context_of(TraceAction action) {
  if (C10_LIKELY(!g_records_history.load(std::memory_order_relaxed))) return nullptr;
  History& h = the_history();
  MemoryContext (*take)() = nullptr;
  {
    std::lock_guard<std::mutex> lock(h.mutex);
    bool is_requested = action == TraceAction::kAlloc ? h.settings.has_contexts_of_allocations
                                                      : h.settings.has_contexts_of_frees;
    if (is_requested) take = h.settings.context;
  }
  return take ? take() : nullptr;
}

void add_entry(TraceAction action, DeviceIndex device, const void* address, size_t size,
               cudaStream_t stream, MemoryContext context) {
  if (C10_UNLIKELY(action == TraceAction::kOutOfMemory))
    tell_observers(device, size, reinterpret_cast<size_t>(address));
  if (C10_LIKELY(!g_records_history.load(std::memory_order_relaxed))) return;
  History& h = the_history();
  TraceEntry dropped{};
  std::lock_guard<std::mutex> lock(h.mutex);
  if (!h.settings.keeps_entries || h.settings.max_entries == 0) return;
  if (h.settings.skipped >> static_cast<int>(action) & 1) return;
  auto& entries = h.entries[device];
  if (entries.size() >= h.settings.max_entries) {
    dropped = std::move(entries.front());
    entries.pop_front();
  }
  entries.push_back({action, device, reinterpret_cast<uintptr_t>(address), size, stream,
                     microseconds(), std::move(context)});
}

}  // namespace c10::cuda::impl
