#pragma once
// What the device tells of its work, for tests of the profiler: calls of the runtime, and kernels,
// copies and fills as they run. CUPTI's stand-in listens (ATen/cuda/emulated/cupti.cpp).

#include <cuda_runtime.h>

#include <atomic>
#include <functional>

namespace torch_emulated_cuda {

enum class Memory : uint8_t { pageable, pinned, device };

// A piece of work on a stream.
struct Work {
  enum Kind : uint8_t { kernel, copy, fill } kind = kernel;
  int device = 0;
  uint32_t stream = 0;
  uint32_t correlation = 0;  // the call that started it
  // Of a kernel: its address, or its name.
  const void* address = nullptr;
  const char* name = nullptr;
  dim3 grid, block;
  size_t shared = 0;
  // Of copies and fills.
  Memory from = Memory::device, to = Memory::device;
  int from_device = 0, to_device = 0;  // of the memory, if it is a device's
  size_t bytes = 0;
  int value = 0;
};

class Listener {
 public:
  virtual uint64_t now() = 0;
  // At the end of a call, on its thread.
  virtual void on_call(const char* name, uint32_t correlation, uint64_t start, uint64_t end) = 0;
  virtual void on_work(const Work& work, uint64_t start, uint64_t end) = 0;

 protected:
  ~Listener() = default;
};
// Null: nobody listens.
void set_listener(Listener* listener);

// --- for the device ----------------------------------------------------------------------------

// The scope of a call of the runtime. Those inside of another one are not told.
class Call {
 public:
  explicit Call(const char* name);
  ~Call();
  Call(const Call&) = delete;
  // Of this thread's outermost call; 0 if nobody listens.
  static uint32_t correlation();

 private:
  const char* name_ = nullptr;
  uint64_t start_ = 0;
};

// The same work; tells the listener when it runs, if there was one when it was started.
std::function<void()> told(const Work& work, std::function<void()> run);

// What a graph runs belongs to the call that launched the graph.
class Replay {
 public:
  explicit Replay(uint32_t correlation);
  ~Replay();
  Replay(const Replay&) = delete;
};

// The kernel that c10::cuda::launch starts now; null if that is not known.
const void* take_kernel();

}  // namespace torch_emulated_cuda
