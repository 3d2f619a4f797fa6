#pragma once
// Guards for CUDA devices and streams: for a scope, a device or a stream is the current one. Code
// for all devices uses c10/core/DeviceGuard.h.
//
//   const at::cuda::OptionalCUDAGuard guard(device_of(x));

#include <optional>
#include <vector>

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <c10/util/ArrayRef.h>

namespace c10::cuda {

// Without a device it does nothing until it is given one.
class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device> device) {
    if (device) set_device(*device);
  }
  explicit OptionalCUDAGuard(std::optional<DeviceIndex> index) {
    if (index) set_index(*index);
  }

  void set_device(Device device) {
    TORCH_CHECK(device.is_cuda(), "expected a CUDA device, got ", device);
    set_index(device.index());
  }
  void reset_device(Device device) { set_device(device); }
  // -1: the current one.
  void set_index(DeviceIndex index) {
    if (!guard_) guard_.emplace();
    guard_->reset_device(Device(DeviceType::CUDA, device_or_current(index)));
  }
  // The device before is current again.
  void reset() { guard_.reset(); }
  std::optional<Device> original_device() const {
    return guard_ ? guard_->original_device() : std::nullopt;
  }
  std::optional<Device> current_device() const {
    return guard_ ? guard_->current_device() : std::nullopt;
  }

 private:
  std::optional<OptionalDeviceGuard> guard_;
};

class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex index) { guard_.set_index(index); }
  explicit CUDAGuard(Device device) { guard_.set_device(device); }
  void set_device(Device device) { guard_.set_device(device); }
  void reset_device(Device device) { guard_.set_device(device); }
  void set_index(DeviceIndex index) { guard_.set_index(index); }
  Device original_device() const { return *guard_.original_device(); }
  Device current_device() const { return *guard_.current_device(); }

 private:
  OptionalCUDAGuard guard_;
};

// A stream and its device.
class OptionalCUDAStreamGuard {
 public:
  OptionalCUDAStreamGuard() = default;
  explicit OptionalCUDAStreamGuard(Stream stream) { reset_stream(stream); }
  explicit OptionalCUDAStreamGuard(std::optional<Stream> stream) {
    if (stream) reset_stream(*stream);
  }
  OptionalCUDAStreamGuard(const OptionalCUDAStreamGuard&) = delete;
  OptionalCUDAStreamGuard& operator=(const OptionalCUDAStreamGuard&) = delete;

  // The stream before is current again, then this one.
  void reset_stream(Stream stream) {
    const CUDAStream checked(stream);
    guard_.reset();
    guard_.emplace(checked.unwrap());
  }
  void reset() { guard_.reset(); }
  std::optional<CUDAStream> original_stream() const {
    if (!guard_) return std::nullopt;
    return CUDAStream(guard_->original_stream());
  }
  std::optional<CUDAStream> current_stream() const {
    if (!guard_) return std::nullopt;
    return CUDAStream(guard_->current_stream());
  }
  std::optional<Device> original_device() const {
    if (!guard_) return std::nullopt;
    return guard_->original_device();
  }

 private:
  std::optional<StreamGuard> guard_;
};

class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(CUDAStream stream) : guard_(stream.unwrap()) {}
  explicit CUDAStreamGuard(Stream stream) : guard_(stream) {}
  void reset_stream(Stream stream) { guard_.reset_stream(stream); }
  CUDAStream original_stream() const { return *guard_.original_stream(); }
  CUDAStream current_stream() const { return *guard_.current_stream(); }
  Device original_device() const { return *guard_.original_device(); }
  Device current_device() const { return current_stream().device(); }

 private:
  OptionalCUDAStreamGuard guard_;
};

// Streams of several devices, each current on its own. The current device stays.
class CUDAMultiStreamGuard {
 public:
  explicit CUDAMultiStreamGuard(ArrayRef<CUDAStream> streams) {
    for (const CUDAStream& stream : streams) {
      before_.push_back(getCurrentCUDAStream(stream.device_index()));
      setCurrentCUDAStream(stream);
    }
  }
  ~CUDAMultiStreamGuard() {
    for (auto stream = before_.rbegin(); stream != before_.rend(); ++stream)
      setCurrentCUDAStream(*stream);
  }
  CUDAMultiStreamGuard(const CUDAMultiStreamGuard&) = delete;
  CUDAMultiStreamGuard& operator=(const CUDAMultiStreamGuard&) = delete;

 private:
  std::vector<CUDAStream> before_;
};

}  // namespace c10::cuda
