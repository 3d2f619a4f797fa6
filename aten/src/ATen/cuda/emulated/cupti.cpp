// What the emulated device tells of its work, as records of CUPTI.

#include <ATen/cuda/CuptiApi.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <c10/cuda/emulated/activities.h>

namespace at::cuda::cupti {
namespace {

using torch_emulated_cuda::Memory;
using torch_emulated_cuda::Work;

constexpr Status kInvalid = 1, kEmptyQueue = 18;
constexpr uint32_t kContext = 1;

// The numbers that CUPTI has for these calls, and their names there.
struct Call {
  uint32_t function;
  const char* name;
};
constexpr Call kCalls[] = {{31, "cudaMemcpy_v3020"},
                           {41, "cudaMemcpyAsync_v3020"},
                           {51, "cudaMemsetAsync_v3020"},
                           {131, "cudaStreamSynchronize_v3020"},
                           {137, "cudaEventSynchronize_v3020"},
                           {161, "cudaMemcpyPeerAsync_v4000"},
                           {165, "cudaDeviceSynchronize_v3020"},
                           {211, "cudaLaunchKernel_v7000"},
                           {311, "cudaGraphLaunch_v10000"}};

thread_local std::vector<uint64_t> t_ids;

MemoryKind memory_kind(Memory memory) {
  return memory == Memory::device ? kDevice : memory == Memory::pinned ? kPinned : kPageable;
}

class State final : public torch_emulated_cuda::Listener {
 public:
  std::mutex mutex;
  std::set<int> kinds;
  uint64_t (*clock)() = nullptr;
  void (*requested)(uint8_t**, size_t*, size_t*) = nullptr;
  void (*completed)(void*, uint32_t, uint8_t*, size_t, size_t) = nullptr;

  uint64_t now() override { return clock(); }

  void on_call(const char* name, uint32_t correlation, uint64_t start, uint64_t end) override {
    std::lock_guard<std::mutex> lock(mutex);
    if (kinds.count(kExternalCorrelation) && !t_ids.empty()) {
      ExternalRecord external{kExternalCorrelation, kCustomIds, t_ids.back(), correlation, 0};
      append(external);
    }
    if (!kinds.count(kRuntime)) return;
    CallRecord record{};
    record.kind = kRuntime;
    for (const Call& call : kCalls) {
      const size_t length = std::strlen(name);
      if (std::strncmp(call.name, name, length) == 0 && call.name[length] == '_')
        record.function = call.function;
    }
    record.start = start;
    record.end = end;
    record.process = static_cast<uint32_t>(::getpid());
    record.thread = static_cast<uint32_t>(::syscall(SYS_gettid));
    record.correlation = correlation;
    append(record);
  }

  void on_work(const Work& work, uint64_t start, uint64_t end) override {
    std::lock_guard<std::mutex> lock(mutex);
    auto common = [&](auto& record, int kind) {
      record.kind = kind;
      record.start = start;
      record.end = end;
      record.device = static_cast<uint32_t>(work.device);
      record.context = kContext;
      record.stream = work.stream;
      record.correlation = work.correlation;
    };
    auto copy = [&](auto record, int kind) {
      if (!kinds.count(kind)) return;
      common(record, kind);
      record.copy_kind = kind == kPeerCopy ? kPeerToPeer : copy_kind(work);
      record.from_memory = memory_kind(work.from);
      record.to_memory = memory_kind(work.to);
      record.bytes = work.bytes;
      append(record);
    };
    if (work.kind == Work::copy) {
      const bool is_of_peers = work.from == Memory::device && work.to == Memory::device &&
                               work.from_device != work.to_device;
      if (is_of_peers) copy(PeerCopyRecord{}, kPeerCopy);
      else copy(CopyRecord{}, kCopy);
    } else if (work.kind == Work::fill && kinds.count(kFill)) {
      FillRecord record{};
      common(record, kFill);
      record.value = static_cast<uint32_t>(work.value);
      record.bytes = work.bytes;
      record.memory = kDevice;
      append(record);
    } else if (work.kind == Work::kernel && kinds.count(kKernel)) {
      KernelRecord record{};
      common(record, kKernel);
      auto set = [](int32_t (&to)[3], const dim3& from) {
        to[0] = static_cast<int32_t>(from.x);
        to[1] = static_cast<int32_t>(from.y);
        to[2] = static_cast<int32_t>(from.z);
      };
      set(record.grid, work.grid);
      set(record.block, work.block);
      record.registers = 32;
      record.dynamic_shared_memory = static_cast<int32_t>(work.shared);
      record.name = kernel_name(work);
      append(record);
    }
  }

  void deliver() {
    std::lock_guard<std::mutex> lock(mutex);
    if (buffer_) completed(nullptr, 0, std::exchange(buffer_, nullptr), size_, used_);
  }

 private:
  uint8_t* buffer_ = nullptr;
  size_t size_ = 0, used_ = 0;
  std::map<const void*, std::string> names_;

  static CopyKind copy_kind(const Work& work) {
    if (work.from == Memory::device)
      return work.to == Memory::device ? kDeviceToDevice : kDeviceToHost;
    return work.to == Memory::device ? kHostToDevice : kHostToHost;
  }

  const char* kernel_name(const Work& work) {
    if (work.name || !work.address) return work.name;
    std::string& name = names_[work.address];
    if (name.empty()) name = at::place_of_kernel(const_cast<void*>(work.address)).function;
    return name.empty() ? nullptr : name.c_str();
  }

  template <typename R>
  void append(const R& record) {
    if (buffer_ && used_ + sizeof record > size_)
      completed(nullptr, 0, std::exchange(buffer_, nullptr), size_, used_);
    if (!buffer_) {
      size_t max_records = 0;
      used_ = 0;
      requested(&buffer_, &size_, &max_records);
      if (!buffer_) return;
    }
    std::memcpy(buffer_ + used_, &record, sizeof record);
    used_ += sizeof record;
  }
};

// Never destroyed: streams run work until the process ends.
State& state() {
  static auto* one = new State();
  return *one;
}

size_t size_of(int kind) {
  switch (kind) {
    case kKernel:
      return sizeof(KernelRecord);
    case kCopy:
      return sizeof(CopyRecord);
    case kPeerCopy:
      return sizeof(PeerCopyRecord);
    case kFill:
      return sizeof(FillRecord);
    case kExternalCorrelation:
      return sizeof(ExternalRecord);
    default:
      return sizeof(CallRecord);
  }
}

Status result_string(Status, const char** text) { return *text = "error", kSuccess; }
Status set_thread_id_type(int type) { return type == kSystemThreadIds ? kSuccess : kInvalid; }
Status register_clock(uint64_t (*clock)()) { return state().clock = clock, kSuccess; }
Status register_callbacks(void (*requested)(uint8_t**, size_t*, size_t*),
                          void (*completed)(void*, uint32_t, uint8_t*, size_t, size_t)) {
  state().requested = requested;
  state().completed = completed;
  return kSuccess;
}

Status set_kind(int kind, bool on) {
  std::lock_guard<std::mutex> lock(state().mutex);
  if (!state().clock || !state().requested) return kInvalid;
  if (on) state().kinds.insert(kind);
  else state().kinds.erase(kind);
  torch_emulated_cuda::set_listener(state().kinds.empty() ? nullptr : &state());
  return kSuccess;
}
Status enable(int kind) { return set_kind(kind, true); }
Status disable(int kind) { return set_kind(kind, false); }
// There are no queries among the calls, and none of the driver.
Status enable_call(uint32_t, uint8_t) { return kSuccess; }

Status push_id(int kind, uint64_t id) {
  if (kind != kCustomIds) return kInvalid;
  t_ids.push_back(id);
  return kSuccess;
}
Status pop_id(int kind, uint64_t* last) {
  if (kind != kCustomIds) return kInvalid;
  if (t_ids.empty()) return kEmptyQueue;
  *last = t_ids.back();
  t_ids.pop_back();
  return kSuccess;
}

Status flush(uint32_t) { return state().deliver(), kSuccess; }

Status next_record(uint8_t* buffer, size_t valid, Record** record) {
  auto* next = *record ? reinterpret_cast<uint8_t*>(*record) + size_of((*record)->kind) : buffer;
  if (next >= buffer + valid) return kNoMoreRecords;
  *record = reinterpret_cast<Record*>(next);
  return kSuccess;
}

Status dropped_records(void*, uint32_t, size_t* count) { return *count = 0, kSuccess; }

Status function_name(int domain, uint32_t function, const char** name) {
  for (const Call& call : kCalls) {
    if (domain != kRuntimeDomain || call.function != function) continue;
    *name = call.name;
    return kSuccess;
  }
  return kInvalid;
}

}  // namespace

const Functions& functions() {
  static const Functions all{result_string,   set_thread_id_type,
                             register_clock,  register_callbacks,
                             enable,          disable,
                             enable_call,     enable_call,
                             push_id,         pop_id,
                             flush,           next_record,
                             dropped_records, function_name};
  return all;
}

}  // namespace at::cuda::cupti
