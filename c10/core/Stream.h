#pragma once
// Stream: an ordered queue of work on a device, identified by a number whose meaning the backend
// defines.

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

  // Whether all queued work is done.
  bool query() const;
  // Blocks this thread until all queued work is done.
  void synchronize() const;
  // Work queued from now on waits for the event.
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
