// What c10 asks CUDA about devices, streams and events.

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/impl/DeviceScope.h>

namespace c10::cuda {
namespace {

cudaEvent_t as_event(void* event) { return static_cast<cudaEvent_t>(event); }

struct CUDAGuardImpl final : c10::impl::DeviceGuardImplInterface {
  DeviceType type() const override { return DeviceType::CUDA; }

  Device getDevice() const override { return Device(type(), current_device()); }
  void setDevice(Device device) const override { set_device(device.index()); }
  void uncheckedSetDevice(Device device) const noexcept override {
    C10_CUDA_IGNORE(cudaSetDevice(device.index()));
  }
  DeviceIndex deviceCount() const noexcept override { return device_count(); }
  void synchronizeDevice(DeviceIndex device) const override {
    impl::DeviceScope scope(device);
    device_synchronize();
  }

  Stream getStream(Device device) const override { return getCurrentCUDAStream(device.index()); }
  Stream getDefaultStream(Device device) const override {
    return getDefaultCUDAStream(device.index());
  }
  Stream getStreamFromGlobalPool(Device device, bool is_high_priority) const override {
    return getStreamFromPool(is_high_priority, device.index());
  }
  Stream getNewStream(Device device, int priority) const override {
    return getStreamFromPool(priority < 0, device.index());
  }
  Stream exchangeStream(Stream stream) const override {
    CUDAStream before = getCurrentCUDAStream(stream.device_index());
    setCurrentCUDAStream(CUDAStream(stream));
    return before;
  }
  bool queryStream(const Stream& stream) const override { return CUDAStream(stream).query(); }
  void synchronizeStream(const Stream& stream) const override { CUDAStream(stream).synchronize(); }
  void recordDataPtrOnStream(const DataPtr& data, const Stream& stream) const override {
    CUDACachingAllocator::recordStream(data, CUDAStream(stream));
  }

  void record(void** event, const Stream& stream, DeviceIndex index,
              EventFlag flag) const override {
    TORCH_CHECK(index < 0 || index == stream.device_index(),
                "an event of cuda:", static_cast<int>(index), " cannot be recorded on a stream of ",
                stream.device());
    impl::DeviceScope scope(stream.device_index());
    if (!*event) {
      cudaEvent_t made;
      C10_CUDA_CHECK(cudaEventCreateWithFlags(
          &made, flag == EventFlag::BACKEND_DEFAULT ? cudaEventDefault : cudaEventDisableTiming));
      *event = made;
    }
    C10_CUDA_CHECK(cudaEventRecord(as_event(*event), CUDAStream(stream)));
  }
  void block(void* event, const Stream& stream) const override {
    impl::DeviceScope scope(stream.device_index());
    C10_CUDA_CHECK(cudaStreamWaitEvent(CUDAStream(stream), as_event(event), 0));
  }
  bool queryEvent(void* event) const override {
    cudaError_t state = cudaEventQuery(as_event(event));
    if (state == cudaErrorNotReady) {
      (void)cudaGetLastError();
      return false;
    }
    C10_CUDA_CHECK(state);
    return true;
  }
  void synchronizeEvent(void* event) const override {
    C10_CUDA_CHECK(cudaEventSynchronize(as_event(event)));
  }
  double elapsedTime(void* first, void* second, DeviceIndex device) const override {
    impl::DeviceScope scope(device);
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, as_event(first), as_event(second)));
    return milliseconds;
  }
  void destroyEvent(void* event, DeviceIndex) const noexcept override {
    C10_CUDA_IGNORE(cudaEventDestroy(as_event(event)));
  }
};

C10_REGISTER_GUARD_IMPL(CUDA, CUDAGuardImpl);

}  // namespace
}  // namespace c10::cuda
