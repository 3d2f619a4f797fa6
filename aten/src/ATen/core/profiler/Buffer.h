#pragma once
// One thread's rows of the running profile.

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>

#include <ATen/core/profiler/Collector.h>

namespace at::profiler {

struct Buffer {
  Thread thread;
  std::vector<int32_t> open;  // ranges that have not ended, the innermost last
  std::unordered_map<std::string, int32_t> name_indices;  // index in thread.names
  uint64_t run = 0;        // the recording that the buffer belongs to
  bool announced = false;  // on_new_thread was called
  std::atomic_flag busy = ATOMIC_FLAG_INIT;

  int32_t index_of(const char* name) {
    auto [at, inserted] = name_indices.try_emplace(name, static_cast<int32_t>(thread.names.size()));
    if (inserted) thread.names.push_back(at->first);
    return at->second;
  }
};

// The owning thread writes the buffer, and stop() reads it from another thread: always briefly.
class Locked {
 public:
  explicit Locked(Buffer& b) : busy_(b.busy) {
    while (busy_.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Locked() { busy_.clear(std::memory_order_release); }
  Locked(const Locked&) = delete;

 private:
  std::atomic_flag& busy_;
};

}  // namespace at::profiler
