// Records allocations and releases as events of a profile.

#include <ATen/core/profiler/Memory.h>

#include <mutex>
#include <unordered_map>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

namespace at::profiler {

namespace {

std::mutex g_mutex;
OnMemory g_on_memory = nullptr;
int64_t g_allocated = 0;

// All live blocks of any recording; blocks of an earlier recording are not
// reported.
struct Block {
  int64_t nbytes;
  uint64_t run;
  c10::DataPtr owner;
};
uint64_t g_run = 0;
std::unordered_map<void*, Block>& blocks() {
  static auto* const map = new std::unordered_map<void*, Block>;
  return *map;
}

void free_recorded(void* data) {
  Block block{};
  OnMemory callback = nullptr;
  int64_t allocated = 0;
  {
    std::lock_guard<std::mutex> lock(g_mutex);
    auto at = blocks().find(data);
    if (at == blocks().end()) return;
    block = std::move(at->second);
    blocks().erase(at);
    if (g_on_memory && block.run == g_run) {
      callback = g_on_memory;
      allocated = g_allocated -= block.nbytes;
    }
  }
  if (callback) callback(data, -block.nbytes, allocated);
}  // the block's owner frees it

class Recorder final : public c10::Allocator {
 public:
  c10::Allocator* real = nullptr;

  c10::DataPtr allocate(size_t nbytes) override {
    c10::DataPtr made = real->allocate(nbytes);
    void* data = made.get();
    if (!data) return made;
    OnMemory callback = nullptr;
    int64_t allocated = 0;
    c10::DataPtr recorded(data, data, &free_recorded, made.device());
    {
      std::lock_guard<std::mutex> lock(g_mutex);
      blocks()[data] = {static_cast<int64_t>(nbytes), g_run, std::move(made)};
      if (g_on_memory) {
        callback = g_on_memory;
        allocated = g_allocated += static_cast<int64_t>(nbytes);
      }
    }
    if (callback) callback(data, static_cast<int64_t>(nbytes), allocated);
    return recorded;
  }
};

Recorder g_recorder;

}  // namespace

void start_recording_memory(OnMemory on_memory) {
  c10::Allocator* now = c10::GetCPUAllocator();
  {
    std::lock_guard<std::mutex> lock(g_mutex);
    ++g_run;
    g_allocated = 0;
    g_on_memory = on_memory;
  }
  if (now == &g_recorder) return;
  g_recorder.real = now;
  c10::SetCPUAllocator(&g_recorder);
}

void stop_recording_memory() {
  {
    std::lock_guard<std::mutex> lock(g_mutex);
    g_on_memory = nullptr;
  }
  // Another allocator may have been installed on top since.
  if (c10::GetCPUAllocator() == &g_recorder) c10::SetCPUAllocator(g_recorder.real);
}

void lock_memory_records() { g_mutex.lock(); }
void unlock_memory_records() { g_mutex.unlock(); }

}  // namespace at::profiler
