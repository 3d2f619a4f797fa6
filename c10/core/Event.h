#pragma once
// Event: a point in a stream's work that other streams can wait for, and that can be timed.

#include <utility>

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace c10 {

class Event final {
 public:
  explicit Event(DeviceType type, EventFlag flag = EventFlag::PYTORCH_DEFAULT)
      : impl_(impl::getDeviceGuardImpl(type)), type_(type), flag_(flag) {}
  ~Event() {
    if (event_) impl_->destroyEvent(event_, index_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event(Event&& o) noexcept
      : impl_(o.impl_),
        type_(o.type_),
        flag_(o.flag_),
        index_(o.index_),
        event_(std::exchange(o.event_, nullptr)) {}

  Device device() const { return Device(type_, index_); }
  DeviceType device_type() const { return type_; }
  DeviceIndex device_index() const { return index_; }
  EventFlag flag() const { return flag_; }
  bool was_marked_for_recording() const { return event_ != nullptr; }

  // Records the current point of the stream's work. Recording again moves it.
  void record(const Stream& stream) {
    TORCH_CHECK(stream.device_type() == type_, "an event of ", DeviceTypeName(type_),
                " devices cannot be recorded on a stream of ", stream.device());
    impl_->record(&event_, stream, index_, flag_);
    index_ = stream.device_index();
  }
  void recordOnce(const Stream& stream) {
    if (!event_) record(stream);
  }
  // The stream's later work waits for the recorded point. Does nothing before recording.
  void block(const Stream& stream) const {
    if (event_) impl_->block(event_, stream);
  }
  bool query() const { return !event_ || impl_->queryEvent(event_); }
  void synchronize() const {
    if (event_) impl_->synchronizeEvent(event_);
  }
  // The milliseconds from this event to a later one.
  double elapsedTime(const Event& later) const {
    TORCH_CHECK(event_ && later.event_,
                "both events must be recorded before the time between them is known");
    return impl_->elapsedTime(event_, later.event_, index_);
  }
  void* eventId() const { return event_; }
  // Takes over an event of the backend that was made in another way, before this one is recorded.
  void adopt(void* event, DeviceIndex index) {
    TORCH_CHECK(!event_, "this event is there already");
    event_ = event;
    index_ = index;
  }

 private:
  const impl::DeviceGuardImplInterface* impl_;
  DeviceType type_;
  EventFlag flag_;
  DeviceIndex index_ = -1;
  void* event_ = nullptr;
};

}  // namespace c10
