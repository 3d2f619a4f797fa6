#pragma once
// The state of the emulated devices: queues of work, memory, errors.

#include <cuda_runtime.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "shared_file.h"

namespace torch_emulated_cuda {

constexpr size_t kMaxSharedMemory = 227 * 1024;  // of a block, as devices of capability 9.0

// One for everything: work runs on the host thread that waits for it, one piece at a time.
std::recursive_mutex& device_mutex();
using Lock = std::lock_guard<std::recursive_mutex>;

int current_device();
int device_count();
// Of the driver, as CUDA counts: 12040 is 12.4. 0: there is none.
int driver_version();
// An error for calls that use the device, if TORCH_CUDA_EMULATED_BUSY gives it to another process.
cudaError_t refuse_if_busy();
// A number from the environment.
uint64_t setting(const char* name, uint64_t otherwise);

// --- queues ------------------------------------------------------------------------------------
struct Graph {
  std::vector<std::function<void()>> work;
  std::vector<Event*> events;  // which it records for others
  // While it is captured:
  Stream* origin = nullptr;
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool is_invalid = false;
  std::set<Stream*> streams;   // which work for it, the origin among them
  std::set<Stream*> unjoined;  // those whose last work nothing of the graph waits for
};
struct GraphExec {
  std::vector<std::function<void()>> work;
  std::vector<Event*> events;
};

struct Stream {
  int device = 0;
  uint32_t number = 7;  // what profilers show: 7 is the default stream
  std::deque<std::function<void()>> queue;
  uint64_t queued = 0, done = 0;  // pieces of work
  int running = 0;                // pieces that have begun and not ended
  std::shared_ptr<Graph> capture;
};

// What processes know of an event that they share: the number of recordings, and of those that
// were reached. In memory of the process that made the event.
struct SharedEvent {
  std::atomic<uint64_t> recorded, done;
  std::atomic<uint64_t> requested;  // somebody waits for this recording
  std::atomic<int32_t> recorder;    // the process of the last recording
};

struct Event {
  bool has_time = true;
  bool recorded = false;
  Stream* stream = nullptr;
  std::shared_ptr<Graph> graph;  // if the point is one of a captured stream
  uint64_t at = 0;               // the piece of work of the stream that it stands behind
  std::shared_ptr<double> when;  // seconds, once that has run
  SharedEvent* shared = nullptr;
  FileId file;          // of the shared part
  uint64_t number = 0;  // of the last recording of this process
};

// Names of the default stream of the current device, and of that of the thread there.
inline const auto cudaStreamLegacy = reinterpret_cast<cudaStream_t>(0x1);
inline const auto cudaStreamPerThread = reinterpret_cast<cudaStream_t>(0x2);

bool is_known(cudaStream_t stream);      // null, such a name, or a stream that was not destroyed
Stream* stream_of(cudaStream_t stream);  // null: the default stream of the current device
void run_until(Stream& stream, uint64_t at);
void run_all(Stream& stream);
void run_device(int device);

// Calls that may end a capture of a stream without anybody's notice (cudaMalloc, cudaEventQuery,
// ...) end it with an error, unless their thread allows them: cudaThreadExchangeStreamCaptureMode.
cudaError_t refuse_in_capture();
// The capture ends with an error.
cudaError_t invalidate(Graph& graph, cudaError_t error);
// A stream waits for an event of a captured stream: it joins the capture.
cudaError_t join_capture(Stream& waits, const Event& event);

// --- events of several processes ---------------------------------------------------------------
bool share_event(Event& event);
void unshare_event(Event& event);
// The event was recorded here. Others may ask for the work before it: a thread runs it then.
void record_for_others(Event& event);
bool is_recorded_elsewhere(const Event& event);
// Whether the work of the other process is done; if not, it is asked to do it.
bool ask_others(const Event& event);
// A function that waits for the last recording that there is now.
std::function<void()> wait_for_others(const Event& event);

// --- errors ------------------------------------------------------------------------------------
// A failed kernel leaves its device unusable until the process ends, as with a GPU.
void set_sticky_error(cudaError_t error, std::string text);
cudaError_t sticky_error();
cudaError_t remember(cudaError_t error);  // for cudaGetLastError

// --- memory ------------------------------------------------------------------------------------
// Whether the address is in a device's memory; gives the device.
bool is_device_memory(const void* address, int* device = nullptr);
bool is_pinned(const void* address);
void open_memory();
void close_memory();
// Memory of a device that is mapped outside of its arena: opened and closed as the arena is.
void add_device_memory(void* address, size_t size, int device);
void remove_device_memory(void* address);
// The allocation that an address is in, moved to a file that other processes map. False if the
// address is in none.
struct SharedAllocation {
  FileId file;
  int device;
  size_t offset, size;
};
bool share_allocation(const void* address, SharedAllocation* result);
// Counts bytes of a device that are not in its arena. False if there are not so many.
bool take_capacity(int device, size_t bytes);
void give_back_capacity(int device, size_t bytes);

// --- kernels -----------------------------------------------------------------------------------
void run_kernel(dim3 grid, dim3 block, size_t shared, const std::function<void()>& thread,
                const char* name);

}  // namespace torch_emulated_cuda
