// Starts and ends the records of CUPTI.

#include <ATen/cuda/DeviceActivities.h>

#include <cstdlib>
#include <mutex>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/profiler/Collector.h>
#include <ATen/cuda/ActivityRecords.h>
#include <ATen/cuda/CuptiApi.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <c10/util/Exception.h>

namespace at::cuda {
namespace {

using namespace cupti;

constexpr size_t kBufferBytes = 4 << 20;
constexpr int kKinds[] = {kKernel, kCopy, kPeerCopy, kFill, kRuntime, kExternalCorrelation};

void check(Status status, const char* call) {
  if (status == kSuccess) return;
  const char* text = nullptr;
  functions().result_string(status, &text);
  TORCH_CHECK(false, "CUPTI error: ", text ? text : "unknown", " (", status, ") when calling `",
              call, "`");
}

// Never destroyed: CUPTI's thread may deliver buffers until the process ends.
ActivityRecords& records() {
  static auto* one = new ActivityRecords();
  return *one;
}

void on_buffer_requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(alignof(Record), kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *max_records = 0;  // as many as there is room for
}

void on_buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  Record* record = nullptr;
  while (valid > 0 && functions().next_record(buffer, valid, &record) == kSuccess)
    records().add(*record);
  size_t dropped = 0;
  if (functions().dropped_records(context, stream, &dropped) == kSuccess)
    records().add_dropped(dropped);
  std::free(buffer);
}

uint64_t host_time() { return static_cast<uint64_t>(at::observer_clock()); }

void push_range(const profiler::Thread&, const profiler::Range&, uint64_t id) {
  functions().push_id(kCustomIds, id);
}
void pop_range() {
  uint64_t last;
  functions().pop_id(kCustomIds, &last);
}
const profiler::RangeListener kListener{&push_range, &pop_range};

void prepare() {
  static const bool is_ready = [] {
    check(functions().set_thread_id_type(kSystemThreadIds), "cuptiSetThreadIdType");
    check(functions().register_clock(&host_time), "cuptiActivityRegisterTimestampCallback");
    check(functions().register_callbacks(&on_buffer_requested, &on_buffer_completed),
          "cuptiActivityRegisterCallbacks");
    profiler::set_range_listener(profiler::kDeviceWork, &kListener);
    return true;
  }();
  (void)is_ready;
}

// Without records of queries, a profiled program runs faster.
void disable_queries() {
  static const std::vector<uint32_t> queries = queries_of_the_runtime();
  for (uint32_t function : queries) functions().enable_runtime_call(function, 0);
}

void disable() {
  for (int kind : kKinds) functions().disable(kind);
  for (uint32_t call : {kLaunchKernel, kLaunchKernelEx}) functions().enable_driver_call(call, 0);
}

void enable() {
  try {
    for (int kind : kKinds) check(functions().enable(kind), "cuptiActivityEnable");
    disable_queries();
    // Libraries launch some kernels without the runtime.
    for (uint32_t call : {kLaunchKernel, kLaunchKernelEx})
      check(functions().enable_driver_call(call, 1), "cuptiActivityEnableDriverApi");
  } catch (...) {
    disable();
    throw;
  }
}

std::mutex g_mutex;
int g_recordings = 0;

}  // namespace

void start_activities() {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (g_recordings == 0) {
    prepare();
    enable();
  }
  ++g_recordings;
}

// Devices that no memory was asked of have no work, and perhaps no context yet.
void wait_for_devices() {
  for (c10::DeviceIndex device = 0; device < c10::cuda::device_count(); ++device) {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device);
    if (stats.num_device_alloc == 0 && stats.reserved_bytes[0].current == 0) continue;
    c10::cuda::impl::DeviceScope scope(device);
    c10::cuda::device_synchronize();
  }
}

DeviceActivities stop_activities(int64_t from, int64_t to) {
  std::lock_guard<std::mutex> lock(g_mutex);
  TORCH_CHECK(g_recordings > 0, "profiler: GPU work is not recorded");
  if (--g_recordings == 0) disable();
  check(functions().flush(kForcedFlush), "cuptiActivityFlushAll");
  DeviceActivities found = records().between(from, to);
  if (g_recordings == 0) records().clear();
  return found;
}

void pause_activities() {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (g_recordings > 0) disable();
}

void resume_activities() {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (g_recordings > 0) enable();
}

}  // namespace at::cuda
