#pragma once
// An event of CUDA: made by the first recording, on the device of the stream.
//
//   at::cuda::CUDAEvent ready;
//   ready.record(producer);
//   ready.block(consumer);  // the later work of `consumer` waits

#include <optional>
#include <utility>

#include <ATen/cuda/Exceptions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace at::cuda {

class CUDAEvent {
 public:
  CUDAEvent() = default;
  explicit CUDAEvent(unsigned flags) : flags_(flags) {}
  // An event of another process.
  CUDAEvent(c10::DeviceIndex device, const cudaIpcEventHandle_t* handle) : device_(device) {
    CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaIpcOpenEventHandle(&event_, *handle));
  }
  ~CUDAEvent() { destroy(); }
  CUDAEvent(const CUDAEvent&) = delete;
  CUDAEvent& operator=(const CUDAEvent&) = delete;
  CUDAEvent(CUDAEvent&& other) noexcept { swap(other); }
  CUDAEvent& operator=(CUDAEvent&& other) noexcept {
    if (this != &other) {
      destroy();
      swap(other);
    }
    return *this;
  }

  operator cudaEvent_t() const { return event_; }
  friend bool operator<(const CUDAEvent& a, const CUDAEvent& b) { return a.event_ < b.event_; }
  std::optional<c10::Device> device() const {
    if (!isCreated()) return std::nullopt;
    return c10::Device(c10::DeviceType::CUDA, device_);
  }
  bool isCreated() const { return event_ != nullptr; }
  c10::DeviceIndex device_index() const { return device_; }
  cudaEvent_t event() const { return event_; }

  // Whether the recorded work is done; also before a recording.
  bool query() const {
    if (!isCreated()) return true;
    const cudaError_t error = cudaEventQuery(event_);
    if (error == cudaErrorNotReady) {
      (void)cudaGetLastError();
      return false;
    }
    C10_CUDA_CHECK(error);
    return true;
  }

  void record() { record(getCurrentCUDAStream()); }
  void recordOnce(const CUDAStream& stream) {
    if (!was_recorded_) record(stream);
  }
  void record(const CUDAStream& stream) {
    if (!isCreated()) create(stream.device_index());
    TORCH_CHECK(device_ == stream.device_index(), "CUDAEvent::record: the event is of device ",
                static_cast<int>(device_), ", the stream of device ",
                static_cast<int>(stream.device_index()));
    CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaEventRecord(event_, stream));
    was_recorded_ = true;
  }
  // The later work of the stream waits for what was recorded. Does nothing before that.
  void block(const CUDAStream& stream) const {
    if (!isCreated()) return;
    CUDAGuard guard(stream.device_index());
    C10_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0));
  }
  // The milliseconds to a later event. Both need flags without cudaEventDisableTiming.
  float elapsed_time(const CUDAEvent& later) const {
    TORCH_CHECK(isCreated() && later.isCreated(),
                "CUDAEvent::elapsed_time: both events must be recorded before");
    TORCH_CHECK(!((flags_ | later.flags_) & cudaEventDisableTiming),
                "CUDAEvent::elapsed_time: an event has no times; construct it with "
                "cudaEventDefault");
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, event_, later.event_));
    return milliseconds;
  }
  void synchronize() const {
    if (isCreated()) C10_CUDA_CHECK(cudaEventSynchronize(event_));
  }
  // For another process; the flags must have cudaEventInterprocess and cudaEventDisableTiming.
  void ipc_handle(cudaIpcEventHandle_t* handle) {
    if (!isCreated()) create(getCurrentCUDAStream().device_index());
    C10_CUDA_CHECK(cudaIpcGetEventHandle(handle, event_));
  }

 private:
  void create(c10::DeviceIndex device) {
    device_ = device;
    CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags_));
  }
  void destroy() noexcept {
    if (event_) C10_CUDA_IGNORE(cudaEventDestroy(event_));
    event_ = nullptr;
  }
  void swap(CUDAEvent& other) noexcept {
    std::swap(flags_, other.flags_);
    std::swap(was_recorded_, other.was_recorded_);
    std::swap(device_, other.device_);
    std::swap(event_, other.event_);
  }

  unsigned flags_ = cudaEventDisableTiming;
  bool was_recorded_ = false;
  c10::DeviceIndex device_ = -1;
  cudaEvent_t event_ = nullptr;
};

}  // namespace at::cuda
