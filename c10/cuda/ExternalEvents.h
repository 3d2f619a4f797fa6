#pragma once
// Events that a graph records and waits for as steps of its own, each time it runs: others see
// them.

#include <c10/cuda/CUDAStream.h>

namespace c10::cuda::external_events {

// `blocks`: who waits for it on the host sleeps, instead of asking again and again.
C10_API cudaEvent_t make(DeviceIndex device, bool has_time, bool blocks = false);
C10_API void record(cudaEvent_t event, CUDAStream stream);
C10_API void wait(cudaEvent_t event, CUDAStream stream);

}  // namespace c10::cuda::external_events
