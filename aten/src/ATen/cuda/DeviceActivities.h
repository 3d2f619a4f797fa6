#pragma once
// What GPUs do while a profile runs, from CUPTI: kernels, copies, fills, and the calls that started
// them. Nothing of it is in use, or opened, before the first profile that asks for it.

#include <cstdint>
#include <string>
#include <vector>

#include <c10/macros/Macros.h>

namespace at::cuda {

struct DeviceActivity {
  enum Kind : uint8_t { kernel, copy, fill, runtime_call, driver_call } kind = kernel;
  const std::string* name = nullptr;  // of a kernel or a call; kept until the process ends
  int64_t start = 0, end = 0;         // by the clock of at::observer_clock()
  uint32_t device = 0, context = 0, stream = 0;
  uint32_t correlation = 0;  // of a call and what it started
  uint64_t range = 0;        // see at::profiler::range_id; 0 outside of all ranges
  // Of a kernel.
  uint32_t registers = 0;
  int32_t grid[3] = {}, block[3] = {};
  int32_t shared_memory = 0;
  // Of copies and fills. CopyKind and MemoryKind of CuptiApi.h.
  uint64_t bytes = 0;
  uint8_t copy_kind = 0, from_memory = 0, to_memory = 0;
  // Of a call.
  uint32_t function = 0, thread = 0;
};

struct DeviceActivities {
  std::vector<DeviceActivity> found;
  uint64_t dropped = 0;  // records that CUPTI had no memory for
};

// Several recordings may run at once. Throws if CUPTI cannot be opened, or refuses.
C10_API void start_activities();
// Waits for the work of all devices in use: CUPTI has no records of work that is not done.
C10_API void wait_for_devices();
// Ends one. Gives the calls that began between the two times, and what they started.
C10_API DeviceActivities stop_activities(int64_t from, int64_t to);
// Nothing new is recorded between the two.
C10_API void pause_activities();
C10_API void resume_activities();

}  // namespace at::cuda
