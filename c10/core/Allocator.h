#pragma once
// Allocator: where a storage's bytes come from. DataPtr: bytes together with their deleter.

#include <cstddef>
#include <utility>

#include <c10/core/Device.h>

namespace c10 {

using DeleterFnPtr = void (*)(void*);

// Owns `context`, which may be the data itself or an object that keeps it alive.
class DataPtr {
 public:
  DataPtr() : device_(DeviceType::CPU) {}
  DataPtr(void* data, Device device) : data_(data), device_(device) {}
  DataPtr(void* data, void* context, DeleterFnPtr deleter, Device device)
      : data_(data), context_(context), deleter_(deleter), device_(device) {}
  DataPtr(DataPtr&& o) noexcept
      : data_(std::exchange(o.data_, nullptr)),
        context_(std::exchange(o.context_, nullptr)),
        deleter_(std::exchange(o.deleter_, nullptr)),
        device_(o.device_) {}
  DataPtr& operator=(DataPtr&& o) noexcept {
    DataPtr taken(std::move(o));
    std::swap(data_, taken.data_);
    std::swap(context_, taken.context_);
    std::swap(deleter_, taken.deleter_);
    std::swap(device_, taken.device_);
    return *this;
  }
  ~DataPtr() { clear(); }

  void clear() {
    if (deleter_) deleter_(context_);
    data_ = context_ = nullptr;
    deleter_ = nullptr;
  }
  void* get() const { return data_; }
  void* get_context() const { return context_; }
  DeleterFnPtr get_deleter() const { return deleter_; }
  Device device() const { return device_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  void* data_ = nullptr;
  void* context_ = nullptr;
  DeleterFnPtr deleter_ = nullptr;
  Device device_;
};

struct Allocator {
  virtual ~Allocator() = default;
  // Never returns a null pointer for nbytes > 0: throws OutOfMemoryError.
  virtual DataPtr allocate(size_t nbytes) = 0;
};

// The allocator of a device type. Throws if there is none.
Allocator* GetAllocator(DeviceType type);
void SetAllocator(DeviceType type, Allocator* allocator);

}  // namespace c10
