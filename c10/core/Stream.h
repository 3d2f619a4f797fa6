#pragma once
// Stream: an ordered queue of work on a device, by number; what the number means is the backend's
// affair.

#include <cstdint>

#include <c10/core/Device.h>

namespace c10 {

using StreamId = int64_t;

class Stream final {
 public:
  enum Unsafe { UNSAFE };
  enum Default { DEFAULT };
  Stream(Unsafe, Device device, StreamId id) : device_(device), id_(id) {}
  Stream(Default, Device device) : device_(device), id_(0) {}

  Device device() const { return device_; }
  DeviceType device_type() const { return device_.type(); }
  DeviceIndex device_index() const { return device_.index(); }
  StreamId id() const { return id_; }

  // Whether all work that was queued is done.
  bool query() const;
  // Waits on this thread until it is.
  void synchronize() const;
  // What is queued from now on waits for the event.
  template <typename T>
  void wait(const T& event) const {
    event.block(*this);
  }

  friend bool operator==(const Stream& a, const Stream& b) {
    return a.device_ == b.device_ && a.id_ == b.id_;
  }
  friend bool operator!=(const Stream& a, const Stream& b) { return !(a == b); }

 private:
  Device device_;
  StreamId id_;
};

}  // namespace c10
