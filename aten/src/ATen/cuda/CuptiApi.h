#pragma once
// The part of CUPTI's Activity API that the profiler calls, declared here so that building needs no
// copy of it: libcupti is opened on first use. Enumerations are passed as int.
// Source: the manual of CUPTI 13. gpu/cupti.cpp compares values and structures with the header of
// the library where that is installed.

#include <cstddef>
#include <cstdint>

namespace at::cuda::cupti {

using Status = int;  // CUptiResult
constexpr Status kSuccess = 0, kNoMoreRecords = 12;

// Kinds of records.
constexpr int kCopy = 1, kFill = 2, kDriver = 4, kRuntime = 5, kKernel = 10, kPeerCopy = 22,
              kExternalCorrelation = 39;
constexpr int kCustomIds = 3;        // one of the kinds of external ids
constexpr int kSystemThreadIds = 1;  // as gettid() gives them
constexpr int kForcedFlush = 1;      // gives buffers that are not full too
constexpr int kDriverDomain = 1, kRuntimeDomain = 2;
constexpr uint32_t kLaunchKernel = 307, kLaunchKernelEx = 652;  // calls of the driver

// Kinds of copies and of memory, which names are made of.
enum CopyKind : uint8_t {
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 8,
  kHostToHost = 9,
  kPeerToPeer = 10
};
enum MemoryKind : uint8_t { kPageable = 1, kPinned = 2, kDevice = 3 };

// Records. CUPTI adds members at their ends from release to release: these are the first ones.
struct alignas(8) Record {
  int kind;
};

struct alignas(8) KernelRecord {
  int kind;
  uint8_t cache_config, shared_memory_config;
  uint16_t registers;  // of a thread
  int partitioned_cache_requested, partitioned_cache_executed;
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared_memory, dynamic_shared_memory;
  uint32_t local_memory_of_thread, local_memory;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
};

struct alignas(8) CopyRecord {
  int kind;
  uint8_t copy_kind, from_memory, to_memory, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};

struct alignas(8) PeerCopyRecord {
  int kind;
  uint8_t copy_kind, from_memory, to_memory, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
  uint32_t from_device, from_context, to_device, to_context;
  uint32_t correlation;
};

struct alignas(8) FillRecord {
  int kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint16_t flags, memory;
};

// A call of the runtime or the driver.
struct alignas(8) CallRecord {
  int kind;
  uint32_t function;
  uint64_t start, end;
  uint32_t process, thread, correlation, result;
};

// The innermost id that the thread had pushed when it made the call.
struct alignas(8) ExternalRecord {
  int kind;
  int id_kind;
  uint64_t id;
  uint32_t correlation, reserved;
};

struct Functions {
  Status (*result_string)(Status, const char**);
  Status (*set_thread_id_type)(int);
  // What gives the host's time in nanoseconds; all records use it.
  Status (*register_clock)(uint64_t (*)());
  Status (*register_callbacks)(void (*requested)(uint8_t** buffer, size_t* size, size_t* records),
                               void (*completed)(void* context, uint32_t stream, uint8_t* buffer,
                                                 size_t size, size_t valid));
  Status (*enable)(int kind);
  Status (*disable)(int kind);
  Status (*enable_runtime_call)(uint32_t function, uint8_t on);
  Status (*enable_driver_call)(uint32_t function, uint8_t on);
  Status (*push_id)(int kind, uint64_t id);
  Status (*pop_id)(int kind, uint64_t* last);
  Status (*flush)(uint32_t flag);
  // `record`: the one before, null for the first.
  Status (*next_record)(uint8_t* buffer, size_t valid, Record** record);
  Status (*dropped_records)(void* context, uint32_t stream, size_t* count);
  Status (*function_name)(int domain, uint32_t function, const char** name);
};

// Opens the library. Throws if it is not there.
const Functions& functions();

}  // namespace at::cuda::cupti
