// The guard of the CPU: one device with one stream, whose work is done when a call returns, so that
// programs written for all devices also run on it.

#include <chrono>

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace c10::impl {
namespace {

using Clock = std::chrono::steady_clock;

struct CPUGuardImpl final : DeviceGuardImplInterface {
  DeviceType type() const override { return DeviceType::CPU; }
  Device getDevice() const override { return Device(DeviceType::CPU); }
  void setDevice(Device) const override {}
  void uncheckedSetDevice(Device) const noexcept override {}
  DeviceIndex deviceCount() const noexcept override { return 1; }
  void synchronizeDevice(DeviceIndex) const override {}

  Stream getStream(Device) const override { return Stream(Stream::DEFAULT, getDevice()); }
  Stream getDefaultStream(Device) const override { return getStream(getDevice()); }
  Stream getNewStream(Device, int) const override { return getStream(getDevice()); }
  Stream getStreamFromGlobalPool(Device, bool) const override { return getStream(getDevice()); }
  Stream exchangeStream(Stream) const override { return getStream(getDevice()); }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}

  // An event is the time at which it was recorded.
  void record(void** event, const Stream&, DeviceIndex, EventFlag) const override {
    if (!*event) *event = new Clock::time_point;
    *static_cast<Clock::time_point*>(*event) = Clock::now();
  }
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  double elapsedTime(void* first, void* second, DeviceIndex) const override {
    return std::chrono::duration<double, std::milli>(*static_cast<Clock::time_point*>(second) -
                                                     *static_cast<Clock::time_point*>(first))
        .count();
  }
  void destroyEvent(void* event, DeviceIndex) const noexcept override {
    delete static_cast<Clock::time_point*>(event);
  }
};

C10_REGISTER_GUARD_IMPL(CPU, CPUGuardImpl);

}  // namespace
}  // namespace c10::impl
