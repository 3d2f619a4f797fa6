// Flags that CUDA takes in a capture only: elsewhere, such an event is one like all others.

#include <c10/cuda/ExternalEvents.h>

#include <c10/cuda/impl/DeviceScope.h>

#ifdef TORCH_CUDA_EMULATED
constexpr unsigned cudaEventRecordExternal = 1, cudaEventWaitExternal = 1;
extern "C" cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned flags);
#endif

namespace c10::cuda::external_events {

cudaEvent_t make(DeviceIndex device, bool has_time, bool blocks) {
  impl::DeviceScope scope(device);
  cudaEvent_t event;
  const unsigned flags = (has_time ? cudaEventDefault : cudaEventDisableTiming) |
                         (blocks ? cudaEventBlockingSync : cudaEventDefault);
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, flags));
  return event;
}

void record(cudaEvent_t event, CUDAStream stream) {
  impl::DeviceScope scope(stream.device_index());
  C10_CUDA_CHECK(
      cudaEventRecordWithFlags(event, stream, is_capturing(stream) ? cudaEventRecordExternal : 0));
}

void wait(cudaEvent_t event, CUDAStream stream) {
  impl::DeviceScope scope(stream.device_index());
  C10_CUDA_CHECK(
      cudaStreamWaitEvent(stream, event, is_capturing(stream) ? cudaEventWaitExternal : 0));
}

}  // namespace c10::cuda::external_events
