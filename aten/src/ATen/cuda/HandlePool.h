#pragma once
// Handles of NVIDIA's libraries: one per thread and device, taken from a pool.
//
//   void* handle = handle_of_thread<create>();  // create: void* (*)(), called once for each

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <c10/cuda/CUDAFunctions.h>

namespace at::cuda {

// Handles that no thread uses. They are never destroyed: at the end of the process the driver may
// be gone before this library.
struct HandlePool {
  std::mutex mutex;
  std::map<c10::DeviceIndex, std::vector<void*>> idle;
};

class HandlesOfThread {
 public:
  explicit HandlesOfThread(HandlePool& pool) : pool_(pool) {}
  ~HandlesOfThread() {
    if (!taken_) return;
    std::lock_guard<std::mutex> lock(pool_.mutex);
    for (auto [device, handle] : *taken_) pool_.idle[device].push_back(handle);
  }
  HandlesOfThread(const HandlesOfThread&) = delete;
  HandlesOfThread& operator=(const HandlesOfThread&) = delete;

  void* of(c10::DeviceIndex device, void* (*create)()) {
    if (!taken_) taken_ = std::make_unique<std::map<c10::DeviceIndex, void*>>();
    if (auto found = taken_->find(device); found != taken_->end()) return found->second;
    void* handle = nullptr;
    {
      std::lock_guard<std::mutex> lock(pool_.mutex);
      auto& idle = pool_.idle[device];
      if (!idle.empty()) {
        handle = idle.back();
        idle.pop_back();
      }
    }
    if (!handle) handle = create();
    return (*taken_)[device] = handle;
  }

 private:
  HandlePool& pool_;
  // A pointer: the room for thread-locals of libraries that are opened late is small.
  std::unique_ptr<std::map<c10::DeviceIndex, void*>> taken_;
};

// The handle of this thread for the current device.
template <void* (*create)()>
void* handle_of_thread() {
  static auto* pool = new HandlePool;
  thread_local HandlesOfThread handles(*pool);
  return handles.of(c10::cuda::current_device(), create);
}

}  // namespace at::cuda
