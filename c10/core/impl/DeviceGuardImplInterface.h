#pragma once
// What a backend provides for its devices: current device, device count, streams and events.
//
// A backend defines one class and registers it when it is loaded:
//
//   struct MyGuardImpl final : c10::impl::DeviceGuardImplInterface { ... };
//   C10_REGISTER_GUARD_IMPL(PrivateUse1, MyGuardImpl);
//
// The methods are const and stateless: one object serves all threads for the lifetime of the
// process. Names and meaning are those of PyTorch's interface of the same name.

#include <cstddef>

#include <c10/core/Allocator.h>
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>

namespace c10 {

// The purposes of an event. Not every backend supports all of them.
enum class EventFlag { PYTORCH_DEFAULT, BACKEND_DEFAULT, INVALID };

namespace impl {

struct DeviceGuardImplInterface {
  DeviceGuardImplInterface() = default;
  DeviceGuardImplInterface(const DeviceGuardImplInterface&) = delete;
  DeviceGuardImplInterface& operator=(const DeviceGuardImplInterface&) = delete;
  virtual ~DeviceGuardImplInterface() = default;

  virtual DeviceType type() const = 0;

  // --- the current device of this thread -----------------------------------------------------
  virtual Device getDevice() const = 0;
  virtual void setDevice(Device device) const = 0;
  // For destructors: reports no errors.
  virtual void uncheckedSetDevice(Device device) const noexcept = 0;
  // Makes a device current and returns the previous one.
  virtual Device exchangeDevice(Device device) const {
    Device before = getDevice();
    if (before != device) setDevice(device);
    return before;
  }
  // Never throws: returns 0 if the driver is missing.
  virtual DeviceIndex deviceCount() const noexcept = 0;
  virtual void synchronizeDevice(DeviceIndex) const { unsupported("synchronizing devices"); }

  // --- streams -------------------------------------------------------------------------------
  virtual Stream getStream(Device device) const = 0;
  virtual Stream getDefaultStream(Device) const { unsupported("default streams"); }
  virtual Stream getStreamFromGlobalPool(Device, bool /*is_high_priority*/ = false) const {
    unsupported("pools of streams");
  }
  virtual Stream getNewStream(Device, int /*priority*/ = 0) const { unsupported("new streams"); }
  // Makes a stream current on its device and returns the previous one.
  virtual Stream exchangeStream(Stream stream) const = 0;
  virtual bool queryStream(const Stream&) const { unsupported("querying streams"); }
  virtual void synchronizeStream(const Stream&) const { unsupported("synchronizing streams"); }
  // Marks the memory as in use on this stream: it is not reused before the stream's work is
  // done.
  virtual void recordDataPtrOnStream(const DataPtr&, const Stream&) const {}

  // --- events: a handle that is created by the first recording ---------------------------------
  virtual void record(void** /*event*/, const Stream&, DeviceIndex, EventFlag) const {
    unsupported("events");
  }
  virtual void block(void* /*event*/, const Stream&) const { unsupported("events"); }
  virtual bool queryEvent(void* /*event*/) const { unsupported("events"); }
  virtual void synchronizeEvent(void* /*event*/) const { unsupported("events"); }
  // The milliseconds between two events.
  virtual double elapsedTime(void* /*first*/, void* /*second*/, DeviceIndex) const {
    unsupported("events");
  }
  virtual void destroyEvent(void* /*event*/, DeviceIndex) const noexcept {}

 protected:
  [[noreturn]] void unsupported(const char* what) const;
};

// The implementation of a device type; throws if its backend is not loaded.
const DeviceGuardImplInterface* getDeviceGuardImpl(DeviceType type);
bool hasDeviceGuardImpl(DeviceType type);
// Null removes it.
void setDeviceGuardImpl(DeviceType type, const DeviceGuardImplInterface* impl);

struct DeviceGuardImplRegistrar {
  DeviceGuardImplRegistrar(DeviceType type, const DeviceGuardImplInterface* impl) {
    setDeviceGuardImpl(type, impl);
  }
};

}  // namespace impl
}  // namespace c10

#define C10_REGISTER_GUARD_IMPL(DevType, DeviceGuardImpl)                           \
  static const ::c10::impl::DeviceGuardImplRegistrar g_device_guard_impl_##DevType( \
      ::c10::DeviceType::DevType, new DeviceGuardImpl())
