// Current devices, streams and events. Work is done when a call returns, so that streams are
// numbers and events are times.

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <chrono>

#include "device.h"

namespace npu {
namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::Stream;

thread_local DeviceIndex t_device = 0;
thread_local c10::StreamId t_streams[kDevices] = {};
std::atomic<c10::StreamId> g_next_stream{1};

struct Mark {
  std::chrono::steady_clock::time_point when;
};

struct GuardImpl final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kType; }
  Device getDevice() const override { return Device(kType, t_device); }
  void setDevice(Device device) const override {
    TORCH_CHECK(device.index() >= 0 && device.index() < kDevices, "there is no device ", device);
    t_device = device.index();
  }
  void uncheckedSetDevice(Device device) const noexcept override { t_device = device.index(); }
  DeviceIndex deviceCount() const noexcept override { return kDevices; }
  void synchronizeDevice(DeviceIndex) const override {}

  Stream getStream(Device device) const override { return stream(device, t_streams[at(device)]); }
  Stream getDefaultStream(Device device) const override { return stream(device, 0); }
  Stream getNewStream(Device device, int) const override { return stream(device, g_next_stream++); }
  Stream getStreamFromGlobalPool(Device device, bool) const override {
    return stream(device, g_next_stream++);
  }
  Stream exchangeStream(Stream s) const override {
    Stream before = getStream(s.device());
    t_streams[at(s.device())] = s.id();
    return before;
  }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}

  void record(void** event, const Stream&, DeviceIndex, c10::EventFlag) const override {
    if (!*event) *event = new Mark;
    static_cast<Mark*>(*event)->when = std::chrono::steady_clock::now();
  }
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  double elapsedTime(void* first, void* second, DeviceIndex) const override {
    return std::chrono::duration<double, std::milli>(static_cast<Mark*>(second)->when -
                                                     static_cast<Mark*>(first)->when)
        .count();
  }
  void destroyEvent(void* event, DeviceIndex) const noexcept override {
    delete static_cast<Mark*>(event);
  }

 private:
  static DeviceIndex at(Device device) { return device.has_index() ? device.index() : t_device; }
  static Stream stream(Device device, c10::StreamId id) {
    return Stream(Stream::UNSAFE, Device(kType, at(device)), id);
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, GuardImpl);

}  // namespace

int current_device() { return t_device; }

}  // namespace npu
