#pragma once
// Streams: the default one, pools of two priorities, and streams made elsewhere.
//
// Note [Ids of CUDA streams]
// An id says which stream it is: 0 the default stream, a small odd number one of a pool (priority
// and position), anything else the address of a stream that somebody else made, which is even.

#include <c10/core/Stream.h>
#include <c10/cuda/CUDAFunctions.h>

namespace c10::cuda {

class C10_API CUDAStream {
 public:
  explicit CUDAStream(Stream stream) : stream_(stream) {
    TORCH_CHECK(stream.device_type() == DeviceType::CUDA,
                "expected a stream of a CUDA device, got one of ", stream.device());
  }

  operator cudaStream_t() const { return stream(); }
  operator Stream() const { return unwrap(); }
  cudaStream_t stream() const;
  Stream unwrap() const { return stream_; }
  StreamId id() const { return stream_.id(); }
  Device device() const { return stream_.device(); }
  DeviceIndex device_index() const { return stream_.device_index(); }

  bool query() const;
  void synchronize() const;
  int priority() const;

  friend bool operator==(const CUDAStream& a, const CUDAStream& b) {
    return a.stream_ == b.stream_;
  }
  friend bool operator!=(const CUDAStream& a, const CUDAStream& b) { return !(a == b); }

 private:
  Stream stream_;
};

// device -1: the current one.
C10_API CUDAStream getDefaultCUDAStream(DeviceIndex device = -1);
C10_API CUDAStream getCurrentCUDAStream(DeviceIndex device = -1);
// The next of a pool's streams, in turn.
C10_API CUDAStream getStreamFromPool(bool is_high_priority = false, DeviceIndex device = -1);
C10_API CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device);
C10_API void setCurrentCUDAStream(CUDAStream stream);

// What happens when the host waits for a device where a program may not expect it: a copy that
// blocks, item().
enum class SyncDebugMode : int { kDefault, kWarn, kError };
C10_API void set_sync_debug_mode(SyncDebugMode mode);
C10_API SyncDebugMode sync_debug_mode();
// Waits for the stream; `what` does, for the warning or the error.
C10_API void stream_synchronize(CUDAStream stream, const char* what);

// The number of the capture that a stream takes part in; 0 if it is not captured.
C10_API unsigned long long capture_id(cudaStream_t stream);
inline bool is_capturing(cudaStream_t stream) { return capture_id(stream) != 0; }

}  // namespace c10::cuda
