// Reads the records of CUPTI.

#include <ATen/cuda/ActivityRecords.h>

#include <algorithm>
#include <string_view>

#include <c10/util/Backtrace.h>

namespace at::cuda {
namespace {

using namespace cupti;

constexpr uint32_t kMaxFunctions = 1000;  // of the runtime: CUPTI 13 numbers about 520

// Calls that ask without starting or awaiting anything would fill the trace.
constexpr std::string_view kQueries =
    " cudaGetDevice cudaSetDevice cudaGetDeviceCount cudaGetLastError cudaPeekAtLastError "
    "cudaEventCreate cudaEventCreateWithFlags cudaEventDestroy cudaEventQuery cudaStreamQuery "
    "cudaGetDeviceProperties cudaDeviceGetAttribute cudaFuncGetAttributes cudaFuncSetAttribute "
    "cudaPointerGetAttributes cudaStreamIsCapturing cudaStreamGetCaptureInfo "
    "cudaThreadExchangeStreamCaptureMode cudaGetDriverEntryPoint cudaGetDriverEntryPointByVersion "
    "__cudaPushCallConfiguration __cudaPopCallConfiguration ";

bool is_query(const std::string& name) {
  return kQueries.find(" " + name + " ") != std::string_view::npos;
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

template <typename R>
const R& as(const Record& record) {
  return reinterpret_cast<const R&>(record);
}

// False for work that was never done, and for what CUPTI could not time.
template <typename R>
bool read(DeviceActivity::Kind kind, const R& record, DeviceActivity& a) {
  if (record.start == 0 || record.end == 0) return false;
  a.kind = kind;
  a.start = static_cast<int64_t>(record.start);
  a.end = static_cast<int64_t>(record.end);
  a.correlation = record.correlation;
  return true;
}

template <typename R>
bool read_work(DeviceActivity::Kind kind, const R& record, DeviceActivity& a) {
  a.device = record.device;
  a.context = record.context;
  a.stream = record.stream;
  return read(kind, record, a);
}

template <typename R>
bool read_copy(const R& record, DeviceActivity& a) {
  a.bytes = record.bytes;
  a.copy_kind = record.copy_kind;
  a.from_memory = record.from_memory;
  a.to_memory = record.to_memory;
  return read_work(DeviceActivity::copy, record, a);
}

bool read_fill(const FillRecord& record, DeviceActivity& a) {
  a.bytes = record.bytes;
  a.to_memory = static_cast<uint8_t>(record.memory);
  return read_work(DeviceActivity::fill, record, a);
}

}  // namespace

std::vector<uint32_t> queries_of_the_runtime() {
  std::vector<uint32_t> found;
  for (uint32_t function = 1; function < kMaxFunctions; ++function)
    if (is_query(name_of_call(kRuntimeDomain, function))) found.push_back(function);
  return found;
}

void ActivityRecords::add(const Record& record) {
  std::lock_guard<std::mutex> lock(mutex_);
  DeviceActivity a;
  if (record.kind == kExternalCorrelation) {
    const auto& external = as<ExternalRecord>(record);
    if (external.id_kind == kCustomIds) ranges_[external.correlation] = external.id;
  } else if (read_any(record, a)) {
    activities_.push_back(a);
  }
}

bool ActivityRecords::read_any(const Record& record, DeviceActivity& a) {
  switch (record.kind) {
    case kKernel:
      return read_kernel(as<KernelRecord>(record), a);
    case kCopy:
      return read_copy(as<CopyRecord>(record), a);
    case kPeerCopy:
      return read_copy(as<PeerCopyRecord>(record), a);
    case kFill:
      return read_fill(as<FillRecord>(record), a);
    case kRuntime:
      return read_call(as<CallRecord>(record), DeviceActivity::runtime_call, kRuntimeDomain, a);
    case kDriver:
      return read_call(as<CallRecord>(record), DeviceActivity::driver_call, kDriverDomain, a);
    default:
      return false;
  }
}

bool ActivityRecords::read_kernel(const KernelRecord& record, DeviceActivity& a) {
  const char* mangled = record.name ? record.name : "(unknown kernel)";
  auto [at, is_new] = kernels_.try_emplace(mangled);
  if (is_new) at->second = &*names_.insert(c10::demangle(mangled)).first;
  a.name = at->second;
  a.registers = record.registers;
  std::copy_n(record.grid, 3, a.grid);
  std::copy_n(record.block, 3, a.block);
  a.shared_memory = record.static_shared_memory + record.dynamic_shared_memory;
  return read_work(DeviceActivity::kernel, record, a);
}

bool ActivityRecords::read_call(const CallRecord& record, DeviceActivity::Kind kind, int domain,
                                DeviceActivity& a) {
  auto [at, is_new] = calls_.try_emplace(static_cast<uint64_t>(domain) << 32 | record.function);
  if (is_new) {
    std::string name = name_of_call(domain, record.function);
    if (name.empty()) name = "(unknown call)";
    at->second = is_query(name) ? nullptr : &*names_.insert(name).first;
  }
  a.name = at->second;
  a.function = record.function;
  a.thread = record.thread;
  return a.name && read(kind, record, a);
}

void ActivityRecords::add_dropped(size_t count) {
  std::lock_guard<std::mutex> lock(mutex_);
  dropped_ += count;
}

DeviceActivities ActivityRecords::between(int64_t from, int64_t to) {
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

void ActivityRecords::clear() {
  std::lock_guard<std::mutex> lock(mutex_);
  activities_.clear();
  ranges_.clear();
  dropped_ = 0;
}

}  // namespace at::cuda
