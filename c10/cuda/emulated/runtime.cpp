// Devices, streams, events and copies of the emulated device. Work waits in the queue of
// its stream until the host, or other work, needs it to be done.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>

#include <c10/util/Environment.h>

#include "activities.h"
#include "device.h"

namespace torch_emulated_cuda {
namespace {

// Beyond this many pieces of work a stream runs what it has, to bound memory.
constexpr size_t kLongQueue = 4096;
constexpr int kMaxDevices = 16;

thread_local int t_device = 0;
thread_local cudaError_t t_last_error = cudaSuccess;
cudaError_t g_sticky = cudaSuccess;
std::string g_sticky_text;

struct Streams {
  std::set<Stream*> all;
  Stream* standard[kMaxDevices] = {};
};
Streams& streams() {
  static auto* one = [] {
    auto* made = new Streams();
    for (int d = 0; d < device_count(); ++d) {
      made->standard[d] = new Stream();
      made->standard[d]->device = d;
      made->all.insert(made->standard[d]);
    }
    return made;
  }();
  return *one;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

cudaError_t push(Stream& stream, std::function<void()> work) {
  if (sticky_error() != cudaSuccess) return remember(sticky_error());
  if (stream.capture) {
    Graph& graph = *stream.capture;
    if (graph.is_invalid) return remember(cudaErrorStreamCaptureInvalidated);
    graph.work.push_back(std::move(work));
    if (&stream != graph.origin) graph.unjoined.insert(&stream);
    return cudaSuccess;
  }
  stream.queue.push_back(std::move(work));
  ++stream.queued;
  static const bool is_blocking = [] {
    const char* text = std::getenv("CUDA_LAUNCH_BLOCKING");
    return text && *text && std::string(text) != "0";
  }();
  if (is_blocking || stream.queue.size() > kLongQueue) run_all(stream);
  return is_blocking && sticky_error() != cudaSuccess ? remember(sticky_error()) : cudaSuccess;
}

}  // namespace

std::recursive_mutex& device_mutex() {
  static auto* mutex = new std::recursive_mutex();
  return *mutex;
}

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  if (!text || !*text) return otherwise;
  char* end = nullptr;
  const uint64_t value = std::strtoull(text, &end, 10);
  if (*text >= '0' && *text <= '9' && !*end) return value;
  c10::env_ignored(name, "it is not a whole number");
  return otherwise;
}

int driver_version() {
  static const auto version =
      static_cast<int>(setting("TORCH_CUDA_EMULATED_DRIVER", CUDART_VERSION) & 0x7fffffff);
  return version;
}

// A driver serves runtimes of its own major version and of older ones.
static bool has_driver() { return driver_version() / 1000 >= CUDART_VERSION / 1000; }

static cudaError_t no_device() {
  return remember(has_driver() ? cudaErrorNoDevice : cudaErrorInsufficientDriver);
}

cudaError_t refuse_if_busy() {
  static const bool is_busy = setting("TORCH_CUDA_EMULATED_BUSY", 0) != 0;
  return is_busy ? remember(cudaErrorDevicesUnavailable) : cudaSuccess;
}

int device_count() {
  static const int count = [] {
    if (!has_driver()) return 0;
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    auto number = static_cast<int>(
        std::min<uint64_t>(setting("TORCH_CUDA_EMULATED_DEVICES", 2), kMaxDevices));
    if (visible) {
      int named = *visible && *visible != '-' ? 1 : 0;
      for (const char* c = visible; *c; ++c) named += *c == ',';
      number = std::min(number, named);
    }
    return number;
  }();
  return count;
}

int current_device() { return t_device; }

bool is_known(cudaStream_t stream) {
  return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         streams().all.count(stream);
}

// As the real runtime, each thread has one for each device.
static Stream* stream_of_thread() {
  // A pointer, so that it takes little of the C library's space for thread-local variables.
  thread_local std::unique_ptr<std::vector<Stream*>> made;
  if (!made) made = std::make_unique<std::vector<Stream*>>(kMaxDevices);
  Stream*& stream = (*made)[static_cast<size_t>(t_device)];
  if (!stream) cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0);
  return stream;
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) t_last_error = error;
  return error;
}
cudaError_t sticky_error() { return g_sticky; }
void set_sticky_error(cudaError_t error, std::string text) {
  if (g_sticky != cudaSuccess) return;
  g_sticky = error;
  g_sticky_text = std::move(text);
}

Stream* stream_of(cudaStream_t stream) {
  if (stream == cudaStreamPerThread) return stream_of_thread();
  return !stream || stream == cudaStreamLegacy ? streams().standard[t_device] : stream;
}

void run_until(Stream& stream, uint64_t at) {
  Lock lock(device_mutex());
  if (stream.done >= at || stream.queue.empty()) return;
  // Once for all the work: opening and closing takes longer than most kernels of tests.
  Open open;
  while (stream.done < at && !stream.queue.empty()) {
    auto work = std::move(stream.queue.front());
    stream.queue.pop_front();
    ++stream.done;
    ++stream.running;
    if (g_sticky == cudaSuccess) work();
    --stream.running;
  }
}

void run_all(Stream& stream) { run_until(stream, stream.queued); }

void run_device(int device) {
  Lock lock(device_mutex());
  for (Stream* stream : streams().all)
    if (stream->device == device) run_all(*stream);
}

// The work, which is told of when it runs.
static cudaError_t enqueue_told(cudaStream_t stream, Work told_as, std::function<void()> work) {
  Lock lock(device_mutex());
  if (!is_known(stream)) return remember(cudaErrorInvalidResourceHandle);
  Stream& s = *stream_of(stream);
  told_as.device = s.device;
  told_as.stream = s.number;
  told_as.correlation = Call::correlation();
  return push(s, told(told_as, std::move(work)));
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> work, const char* name) {
  if (name) {  // what a library would run as a kernel
    Call call("cudaLaunchKernel");
    Work kernel;
    kernel.name = name;
    return enqueue_told(stream, kernel, std::move(work));
  }
  Lock lock(device_mutex());
  if (!is_known(stream)) return remember(cudaErrorInvalidResourceHandle);
  return push(*stream_of(stream), std::move(work));
}

cudaError_t enqueue_kernel(cudaStream_t stream, dim3 grid, dim3 block, size_t shared,
                           std::function<void()> thread, const char* name) {
  const uint64_t threads = static_cast<uint64_t>(block.x) * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.z > 64 || grid.x == 0 || grid.y == 0 || grid.z == 0 ||
      grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535 || shared > kMaxSharedMemory)
    return remember(cudaErrorInvalidConfiguration);
  Call call("cudaLaunchKernel");
  Work kernel;
  kernel.address = take_kernel();
  kernel.name = name;
  kernel.grid = grid;
  kernel.block = block;
  kernel.shared = shared;
  return enqueue_told(stream, kernel, [grid, block, shared, thread = std::move(thread), name] {
    run_kernel(grid, block, shared, thread, name);
  });
}

}  // namespace torch_emulated_cuda

using namespace torch_emulated_cuda;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define NAME(code) \
  case code:       \
    return #code;
    NAME(cudaSuccess)
    NAME(cudaErrorInvalidValue)
    NAME(cudaErrorMemoryAllocation)
    NAME(cudaErrorInitializationError)
    NAME(cudaErrorInvalidConfiguration)
    NAME(cudaErrorInsufficientDriver)
    NAME(cudaErrorDevicesUnavailable)
    NAME(cudaErrorNoDevice)
    NAME(cudaErrorInvalidDevice)
    NAME(cudaErrorInvalidResourceHandle)
    NAME(cudaErrorNotReady)
    NAME(cudaErrorDeviceUninitialized)
    NAME(cudaErrorMapBufferObjectFailed)
    NAME(cudaErrorPeerAccessUnsupported)
    NAME(cudaErrorPeerAccessAlreadyEnabled)
    NAME(cudaErrorPeerAccessNotEnabled)
    NAME(cudaErrorTooManyPeers)
    NAME(cudaErrorAssert)
    NAME(cudaErrorLaunchFailure)
    NAME(cudaErrorNotSupported)
    NAME(cudaErrorStreamCaptureUnsupported)
    NAME(cudaErrorStreamCaptureInvalidated)
    NAME(cudaErrorStreamCaptureUnmatched)
    NAME(cudaErrorStreamCaptureUnjoined)
    NAME(cudaErrorStreamCaptureIsolation)
    NAME(cudaErrorCapturedEvent)
    NAME(cudaErrorUnknown)
#undef NAME
  }
  return "cudaErrorUnknown";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidDevice:
      return "there is no device of that number";
    case cudaErrorNoDevice:
      return "there is no device";
    case cudaErrorInsufficientDriver:
      return "the driver is older than the runtime";
    case cudaErrorDevicesUnavailable:
      return "the device is busy or unavailable";
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
      return g_sticky_text.empty() ? "a kernel failed" : g_sticky_text.c_str();
    case cudaErrorDeviceUninitialized:
      return "a handle cannot be opened in the process that it comes from";
    case cudaErrorMapBufferObjectFailed:
      return "the process that the handle comes from has ended, or its memory cannot be mapped";
    case cudaErrorInvalidConfiguration:
      return "the grid, the block or the shared memory of a launch is too large, or zero";
    case cudaErrorStreamCaptureUnsupported:
      return "this is not possible while a stream is captured";
    case cudaErrorStreamCaptureInvalidated:
      return "the capture of this stream was ended by an error before";
    case cudaErrorStreamCaptureUnjoined:
      return "the graph has work of another stream that nothing waits for";
    case cudaErrorStreamCaptureIsolation:
      return "a captured stream cannot wait for work that is not captured";
    default:
      return cudaGetErrorName(error);
  }
}

cudaError_t cudaGetLastError() {
  cudaError_t error = t_last_error;
  t_last_error = g_sticky;
  return error;
}
cudaError_t cudaPeekAtLastError() { return t_last_error; }
cudaError_t cudaDriverGetVersion(int* version) { return *version = driver_version(), cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }  // as with a GPU that no profiler watches
cudaError_t cudaProfilerStop() { return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }

// --- devices -----------------------------------------------------------------------------------
cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return *count ? cudaSuccess : no_device();
}
cudaError_t cudaGetDevice(int* device) {
  *device = t_device;
  return device_count() ? cudaSuccess : no_device();
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) return remember(cudaErrorInvalidDevice);
  if (cudaError_t error = refuse_if_busy()) return error;
  t_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device < 0 || device >= device_count()) return remember(cudaErrorInvalidDevice);
  *p = {};
  std::snprintf(p->name, sizeof p->name, "Emulated device");
  p->uuid.bytes[15] = static_cast<char>(device + 1);
  size_t free;
  cudaMemGetInfo(&free, &p->totalGlobalMem);
  p->sharedMemPerBlock = 48 << 10;
  p->sharedMemPerBlockOptin = kMaxSharedMemory;
  p->sharedMemPerMultiprocessor = kMaxSharedMemory + 1024;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->multiProcessorCount = 6;  // enough that a sorted row has more parts than a warp has lanes
  p->major = 9;
  p->l2CacheSize = 32 << 20;
  p->pciBusID = device + 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (cudaError_t error = cudaGetDeviceProperties(&p, device)) return error;
  switch (attribute) {
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
      *value = 1'000'000;  // kHz
      return cudaSuccess;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = 64;
      return cudaSuccess;
    case cudaDevAttrMaxThreadsPerBlock:
      *value = p.maxThreadsPerBlock;
      return cudaSuccess;
    case cudaDevAttrWarpSize:
      *value = p.warpSize;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = p.multiProcessorCount;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = p.major;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = p.minor;
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(p.sharedMemPerBlockOptin);
      return cudaSuccess;
  }
  return remember(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize() {
  Call call("cudaDeviceSynchronize");
  if (cudaError_t error = refuse_if_busy()) return error;
  Lock lock(device_mutex());
  for (Stream* stream : streams().all)
    if (stream->capture && stream->device == t_device)
      return invalidate(*stream->capture, cudaErrorStreamCaptureUnsupported);
  run_device(t_device);
  return remember(sticky_error());
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = 0;
  *highest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  std::snprintf(text, static_cast<size_t>(size), "0000:%02x:00.0", device + 1);
  return cudaSuccess;
}

// --- streams -----------------------------------------------------------------------------------
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  static uint32_t number = 12;
  if (cudaError_t error = refuse_if_busy()) return error;
  Lock lock(device_mutex());
  *stream = new Stream();
  (*stream)->device = t_device;
  (*stream)->number = ++number;
  streams().all.insert(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  Lock lock(device_mutex());
  if (!streams().all.count(stream)) return remember(cudaErrorInvalidResourceHandle);
  run_all(*stream);
  streams().all.erase(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  Lock lock(device_mutex());
  if (!is_known(stream)) return remember(cudaErrorInvalidResourceHandle);
  Stream& s = *stream_of(stream);
  if (s.capture) return invalidate(*s.capture, cudaErrorStreamCaptureUnsupported);
  if (s.queue.empty()) return remember(sticky_error());
  run_until(s, s.done + 1);  // so that one who polls comes to an end
  return s.queue.empty() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  Call call("cudaStreamSynchronize");
  Lock lock(device_mutex());
  if (!is_known(stream)) return remember(cudaErrorInvalidResourceHandle);
  Stream& s = *stream_of(stream);
  if (s.capture) return invalidate(*s.capture, cudaErrorStreamCaptureUnsupported);
  run_all(s);
  return remember(sticky_error());
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  Lock lock(device_mutex());
  if (!event || !is_known(stream)) return remember(cudaErrorInvalidResourceHandle);
  Stream *waits = stream_of(stream), *on = event->stream;
  if (event->graph) return join_capture(*waits, *event);
  if (is_recorded_elsewhere(*event)) {
    if (waits->capture) return invalidate(*waits->capture, cudaErrorStreamCaptureIsolation);
    return push(*waits, wait_for_others(*event));
  }
  if (flags && waits->capture)  // cudaEventWaitExternal: a step of the graph
    return push(*waits, [waits, event] {
      Stream* recorder = event->recorded ? event->stream : nullptr;
      if (recorder && recorder != waits && streams().all.count(recorder))
        run_until(*recorder, event->at);
    });
  if (!event->recorded || waits == on) return cudaSuccess;
  if (waits->capture) return invalidate(*waits->capture, cudaErrorStreamCaptureIsolation);
  return push(*waits, [on, at = event->at] {
    if (streams().all.count(on)) run_until(*on, at);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return enqueue(stream, [function, data] { function(data); });
}

// --- events ------------------------------------------------------------------------------------
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  Lock lock(device_mutex());
  auto made = std::make_unique<Event>();
  made->has_time = !(flags & cudaEventDisableTiming);
  if (flags & cudaEventInterprocess) {
    if (made->has_time) return remember(cudaErrorInvalidValue);
    if (!share_event(*made)) return remember(cudaErrorMemoryAllocation);
  }
  *event = made.release();
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  Lock lock(device_mutex());
  if (event && event->shared) unshare_event(*event);
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  Lock lock(device_mutex());
  if (!event || !is_known(stream)) return remember(cudaErrorInvalidResourceHandle);
  Stream& s = *stream_of(stream);
  event->stream = &s;
  event->graph = s.capture;
  event->recorded = !s.capture;
  if (s.capture) return cudaSuccess;
  auto when = std::make_shared<double>(0);
  event->when = when;
  cudaError_t error = push(s, [when] { *when = seconds(); });
  event->at = s.queued;
  if (event->shared) record_for_others(*event);
  return error;
}

// With cudaEventRecordExternal, a step of the graph that is captured.
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  Lock lock(device_mutex());
  if (!event || !is_known(stream)) return remember(cudaErrorInvalidResourceHandle);
  Stream& s = *stream_of(stream);
  if (!flags) return cudaEventRecord(event, stream);
  if (!s.capture) return remember(cudaErrorInvalidValue);
  event->when = std::make_shared<double>(0);
  s.capture->events.push_back(event);
  return push(s, [when = event->when] { *when = seconds(); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  Lock lock(device_mutex());
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  if (event->graph) return remember(cudaErrorCapturedEvent);
  if (cudaError_t error = refuse_in_capture()) return error;
  if (is_recorded_elsewhere(*event)) return ask_others(*event) ? cudaSuccess : cudaErrorNotReady;
  if (!event->recorded || !streams().all.count(event->stream)) return cudaSuccess;
  if (event->stream->done >= event->at) return remember(sticky_error());
  run_until(*event->stream, event->stream->done + 1);
  return event->stream->done >= event->at ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  Call call("cudaEventSynchronize");
  std::unique_lock<std::recursive_mutex> lock(device_mutex());
  if (!event) return remember(cudaErrorInvalidResourceHandle);
  if (event->graph) return remember(cudaErrorCapturedEvent);
  if (is_recorded_elsewhere(*event)) {
    auto wait = wait_for_others(*event);
    lock.unlock();
    wait();
    return remember(sticky_error());
  }
  if (event->recorded && streams().all.count(event->stream)) run_until(*event->stream, event->at);
  return remember(sticky_error());
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t second) {
  Lock lock(device_mutex());
  if (!first || !second || !first->recorded || !second->recorded || !first->has_time ||
      !second->has_time)
    return remember(cudaErrorInvalidResourceHandle);
  if (*first->when == 0 || *second->when == 0) return remember(cudaErrorNotReady);
  *milliseconds = static_cast<float>((*second->when - *first->when) * 1e3);
  return cudaSuccess;
}

// --- copies ------------------------------------------------------------------------------------
static Memory kind_of_memory(const void* address) {
  return is_device_memory(address) ? Memory::device
         : is_pinned(address)      ? Memory::pinned
                                   : Memory::pageable;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (!to || !from) return remember(cudaErrorInvalidValue);
  Call call("cudaMemcpyAsync");
  Lock lock(device_mutex());
  Work copy;
  copy.kind = Work::copy;
  copy.from = kind_of_memory(from);
  copy.to = kind_of_memory(to);
  copy.bytes = bytes;
  const bool from_device = is_device_memory(from, &copy.from_device),
             to_device = is_device_memory(to, &copy.to_device);
  if (from_device == to_device || is_pinned(from_device ? to : from))
    return enqueue_told(stream, copy, [=] { std::memmove(to, from, bytes); });
  if (to_device) {
    // Pageable memory is staged: the caller may change it at once.
    auto* bytes_now = static_cast<const char*>(from);
    auto staged = std::make_shared<std::vector<char>>(bytes_now, bytes_now + bytes);
    return enqueue_told(stream, copy, [=] { std::memcpy(to, staged->data(), bytes); });
  }
  if (Stream& s = *stream_of(stream); s.capture)
    return invalidate(*s.capture, cudaErrorStreamCaptureUnsupported);
  if (cudaError_t error = enqueue_told(stream, copy, [=] { std::memcpy(to, from, bytes); }))
    return error;
  return cudaStreamSynchronize(stream);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  Call call("cudaMemcpy");
  if (cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr)) return error;
  return cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (!is_device_memory(to)) return remember(cudaErrorInvalidValue);
  Call call("cudaMemsetAsync");
  Work fill;
  fill.kind = Work::fill;
  fill.bytes = bytes;
  fill.value = value;
  return enqueue_told(stream, fill, [=] { std::memset(to, value, bytes); });
}

}  // extern "C"
