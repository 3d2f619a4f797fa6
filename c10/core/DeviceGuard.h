#pragma once
// Guards that make a device or a stream current for a scope.
//
// They do nothing on the CPU and on device types with a single device, so that code for all devices
// can use them.

#include <optional>

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace c10 {

class OptionalDeviceGuard {
 public:
  OptionalDeviceGuard() = default;
  explicit OptionalDeviceGuard(std::optional<Device> device) {
    if (device) reset_device(*device);
  }
  ~OptionalDeviceGuard() { restore(); }
  OptionalDeviceGuard(const OptionalDeviceGuard&) = delete;
  OptionalDeviceGuard& operator=(const OptionalDeviceGuard&) = delete;

  // Makes another device current; the previous one is restored at the end.
  void reset_device(Device device) {
    if (!device.has_index() || !impl::hasDeviceGuardImpl(device.type())) return;
    const auto* guard = impl::getDeviceGuardImpl(device.type());
    if (impl_ && impl_ != guard) restore();
    Device before = guard->exchangeDevice(device);
    if (!impl_) original_ = before;
    impl_ = guard;
    current_ = device;
  }
  std::optional<Device> original_device() const { return original_; }
  std::optional<Device> current_device() const { return current_; }

 private:
  void restore() {
    if (impl_ && original_) impl_->uncheckedSetDevice(*original_);
    impl_ = nullptr;
    original_.reset();
  }

  const impl::DeviceGuardImplInterface* impl_ = nullptr;
  std::optional<Device> original_, current_;
};

class DeviceGuard {
 public:
  explicit DeviceGuard(Device device) : guard_(device) {}
  void reset_device(Device device) { guard_.reset_device(device); }

 private:
  OptionalDeviceGuard guard_;
};

// Makes a stream, and its device, current.
class StreamGuard {
 public:
  explicit StreamGuard(Stream stream)
      : impl_(impl::getDeviceGuardImpl(stream.device_type())),
        device_(impl_->getDevice()),
        stream_(stream),
        before_(impl_->getStream(stream.device())) {
    impl_->setDevice(stream.device());
    impl_->exchangeStream(stream);
  }
  ~StreamGuard() {
    impl_->exchangeStream(before_);
    impl_->uncheckedSetDevice(device_);
  }
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

  Stream original_stream() const { return before_; }
  Stream current_stream() const { return stream_; }
  Device original_device() const { return device_; }

 private:
  const impl::DeviceGuardImplInterface* impl_;
  Device device_;
  Stream stream_, before_;
};

}  // namespace c10
