// Reads the records of CUPTI.

#include <ATen/cuda/DeviceActivities.h>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/profiler/Collector.h>
#include <ATen/cuda/CuptiApi.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <c10/util/Exception.h>

namespace at::cuda {
namespace {

using namespace cupti;

constexpr size_t kBufferBytes = 4 << 20;
constexpr uint32_t kMaxFunctions = 1000;  // of the runtime: CUPTI 13 numbers about 520
constexpr int kKinds[] = {kKernel, kCopy, kPeerCopy, kFill, kRuntime, kExternalCorrelation};

void check(Status status, const char* call) {
  if (status == kSuccess) return;
  const char* text = nullptr;
  functions().result_string(status, &text);
  TORCH_CHECK(false, "CUPTI error: ", text ? text : "unknown", " (", status, ") when calling `",
              call, "`");
}

// Calls that ask without starting or awaiting anything would fill the trace.
bool is_query(std::string_view name) {
  static const std::unordered_set<std::string_view> queries{"cudaGetDevice",
                                                            "cudaSetDevice",
                                                            "cudaGetDeviceCount",
                                                            "cudaGetLastError",
                                                            "cudaPeekAtLastError",
                                                            "cudaEventCreate",
                                                            "cudaEventDestroy",
                                                            "cudaEventQuery",
                                                            "cudaEventCreateWithFlags",
                                                            "cudaGetDeviceProperties",
                                                            "cudaStreamQuery",
                                                            "cudaDeviceGetAttribute",
                                                            "cudaFuncGetAttributes",
                                                            "cudaFuncSetAttribute",
                                                            "cudaPointerGetAttributes",
                                                            "cudaStreamIsCapturing",
                                                            "cudaStreamGetCaptureInfo",
                                                            "cudaThreadExchangeStreamCaptureMode",
                                                            "__cudaPushCallConfiguration",
                                                            "__cudaPopCallConfiguration",
                                                            "cudaGetDriverEntryPoint",
                                                            "cudaGetDriverEntryPointByVersion"};
  return queries.count(name);
}

// Without the version that CUPTI's names end in: cudaLaunchKernel_v7000. Empty if there is none.
std::string name_of_call(int domain, uint32_t function) {
  const char* given = nullptr;
  if (functions().function_name(domain, function, &given) != kSuccess || !given) return "";
  std::string name = given;
  const size_t version = name.rfind("_v");
  if (version != std::string::npos && version + 2 < name.size() &&
      name.find_first_not_of("0123456789", version + 2) == std::string::npos)
    name.resize(version);
  return name;
}

std::string demangled(const char* name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                              &std::free);
  return status == 0 && text ? text.get() : name;
}

class Recording {
 public:
  void add(const Record& record) {
    std::lock_guard<std::mutex> lock(mutex_);
    switch (record.kind) {
      case kKernel:
        return add_kernel(as<KernelRecord>(record));
      case kCopy:
        return add_copy(as<CopyRecord>(record));
      case kPeerCopy:
        return add_copy(as<PeerCopyRecord>(record));
      case kFill:
        return add_fill(as<FillRecord>(record));
      case kRuntime:
      case kDriver:
        return add_call(as<CallRecord>(record));
      case kExternalCorrelation:
        return add_range(as<ExternalRecord>(record));
    }
  }

  void add_dropped(size_t count) {
    std::lock_guard<std::mutex> lock(mutex_);
    dropped_ += count;
  }

  DeviceActivities between(int64_t from, int64_t to) {
    std::lock_guard<std::mutex> lock(mutex_);
    // The driver's launches inside of the runtime's, and those that started nothing, are left out.
    std::unordered_map<uint32_t, int64_t> runtime_calls;  // when they began
    std::unordered_set<uint32_t> work;
    for (const DeviceActivity& a : activities_) {
      if (a.kind == DeviceActivity::runtime_call) runtime_calls.emplace(a.correlation, a.start);
      else if (a.kind != DeviceActivity::driver_call) work.insert(a.correlation);
    }
    DeviceActivities result;
    result.dropped = dropped_;
    for (DeviceActivity a : activities_) {
      const auto call = runtime_calls.find(a.correlation);
      const int64_t begun = call == runtime_calls.end() ? a.start : call->second;
      if (begun < from || begun >= to) continue;
      if (a.kind == DeviceActivity::driver_call &&
          (call != runtime_calls.end() || !work.count(a.correlation)))
        continue;
      if (auto range = ranges_.find(a.correlation); range != ranges_.end()) a.range = range->second;
      result.found.push_back(a);
    }
    return result;
  }

  void clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    activities_.clear();
    ranges_.clear();
    dropped_ = 0;
  }

 private:
  std::mutex mutex_;
  std::vector<DeviceActivity> activities_;
  std::unordered_map<uint32_t, uint64_t> ranges_;  // by correlation
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, const std::string*> kernels_;  // by mangled name
  std::unordered_map<uint64_t, const std::string*> calls_;       // null: a query
  uint64_t dropped_ = 0;

  template <typename R>
  static const R& as(const Record& record) {
    return reinterpret_cast<const R&>(record);
  }

  void add_range(const ExternalRecord& record) {
    if (record.id_kind == kCustomIds) ranges_[record.correlation] = record.id;
  }

  template <typename R>
  static bool read(DeviceActivity::Kind kind, const R& record, DeviceActivity& a) {
    // Work that was never done, or that CUPTI could not time.
    if (record.start == 0 || record.end == 0) return false;
    a.kind = kind;
    a.start = static_cast<int64_t>(record.start);
    a.end = static_cast<int64_t>(record.end);
    a.correlation = record.correlation;
    return true;
  }

  template <typename R>
  static bool read_work(DeviceActivity::Kind kind, const R& record, DeviceActivity& a) {
    a.device = record.device;
    a.context = record.context;
    a.stream = record.stream;
    return read(kind, record, a);
  }

  void add_kernel(const KernelRecord& record) {
    DeviceActivity a;
    if (!read_work(DeviceActivity::kernel, record, a)) return;
    a.name = kernel_name(record.name);
    a.registers = record.registers;
    std::copy_n(record.grid, 3, a.grid);
    std::copy_n(record.block, 3, a.block);
    a.shared_memory = record.static_shared_memory + record.dynamic_shared_memory;
    activities_.push_back(a);
  }

  template <typename R>
  void add_copy(const R& record) {
    DeviceActivity a;
    if (!read_work(DeviceActivity::copy, record, a)) return;
    a.bytes = record.bytes;
    a.copy_kind = record.copy_kind;
    a.from_memory = record.from_memory;
    a.to_memory = record.to_memory;
    activities_.push_back(a);
  }

  void add_fill(const FillRecord& record) {
    DeviceActivity a;
    if (!read_work(DeviceActivity::fill, record, a)) return;
    a.bytes = record.bytes;
    a.to_memory = static_cast<uint8_t>(record.memory);
    activities_.push_back(a);
  }

  void add_call(const CallRecord& record) {
    const bool is_runtime = record.kind == kRuntime;
    DeviceActivity a;
    if (!read(is_runtime ? DeviceActivity::runtime_call : DeviceActivity::driver_call, record, a))
      return;
    a.name = call_name(is_runtime ? kRuntimeDomain : kDriverDomain, record.function);
    if (!a.name) return;
    a.function = record.function;
    a.thread = record.thread;
    activities_.push_back(a);
  }

  const std::string* kernel_name(const char* mangled) {
    if (!mangled) mangled = "(unknown kernel)";
    auto [at, is_new] = kernels_.try_emplace(mangled);
    if (is_new) at->second = &*names_.insert(demangled(mangled)).first;
    return at->second;
  }

  const std::string* call_name(int domain, uint32_t function) {
    auto [at, is_new] = calls_.try_emplace(static_cast<uint64_t>(domain) << 32 | function);
    if (!is_new) return at->second;
    std::string name = name_of_call(domain, function);
    if (name.empty()) name = "(unknown call)";
    return at->second = is_query(name) ? nullptr : &*names_.insert(name).first;
  }
};

// Never destroyed: CUPTI's thread may deliver buffers until the process ends.
Recording& recording() {
  static auto* one = new Recording();
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
    recording().add(*record);
  size_t dropped = 0;
  if (functions().dropped_records(context, stream, &dropped) == kSuccess)
    recording().add_dropped(dropped);
  std::free(buffer);
}

uint64_t host_time() { return static_cast<uint64_t>(at::observer_clock()); }

const profiler::RangeListener kListener{[](const profiler::Thread&, const profiler::Range&,
                                           uint64_t id) { functions().push_id(kCustomIds, id); },
                                        [] {
  uint64_t last;
  functions().pop_id(kCustomIds, &last);
}};

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
  static const std::vector<uint32_t> queries = [] {
    std::vector<uint32_t> found;
    for (uint32_t function = 1; function < kMaxFunctions; ++function)
      if (is_query(name_of_call(kRuntimeDomain, function))) found.push_back(function);
    return found;
  }();
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
  DeviceActivities found = recording().between(from, to);
  if (g_recordings == 0) recording().clear();
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
