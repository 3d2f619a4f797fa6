// Pools of streams, and the current stream of each thread and device.

#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/impl/DeviceScope.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace c10::cuda {
namespace {

constexpr int kStreamsPerPool = 32;
constexpr int kPriorities = 2;  // 0: as usual, 1: high

// See Note [Ids of CUDA streams].
StreamId pool_id(int priority, int position) {
  return static_cast<StreamId>((position * kPriorities + priority) * 2 + 1);
}
bool is_of_pool(StreamId id) { return id & 1; }
int priority_in(StreamId id) { return static_cast<int>(id >> 1) % kPriorities; }
int position_in(StreamId id) { return static_cast<int>(id >> 1) / kPriorities; }

struct DevicePools {
  std::once_flag once;
  std::array<std::array<cudaStream_t, kStreamsPerPool>, kPriorities> streams;
  std::array<std::atomic<uint32_t>, kPriorities> next{};
};

// Never destroyed: the driver goes first.
DevicePools& pools_of(DeviceIndex device) {
  static auto* all = new std::vector<DevicePools>(static_cast<size_t>(device_count()));
  auto& pools = (*all)[static_cast<size_t>(device)];
  std::call_once(pools.once, [&] {
    impl::DeviceScope scope(device);
    int lowest, highest;
    C10_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    for (int priority = 0; priority < kPriorities; ++priority) {
      for (auto& stream : pools.streams[static_cast<size_t>(priority)])
        C10_CUDA_CHECK(
            cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority ? highest : 0));
    }
  });
  return pools;
}

// Ids of the current streams by device. A pointer, so that it takes little of the C library's space
// for thread-local variables.
thread_local std::unique_ptr<std::vector<StreamId>> t_current;

StreamId& current_id(DeviceIndex device) {
  if (!t_current)
    t_current = std::make_unique<std::vector<StreamId>>(static_cast<size_t>(device_count()));
  const auto index = static_cast<size_t>(device);
  if (C10_UNLIKELY(device < 0 || index >= t_current->size())) check_device(device);
  return (*t_current)[index];
}

CUDAStream with_id(DeviceIndex device, StreamId id) {
  return CUDAStream(Stream(Stream::UNSAFE, Device(DeviceType::CUDA, device), id));
}

}  // namespace

cudaStream_t CUDAStream::stream() const {
  StreamId id = stream_.id();
  if (id == 0) return nullptr;
  if (!is_of_pool(id)) return reinterpret_cast<cudaStream_t>(id);
  TORCH_CHECK(position_in(id) < kStreamsPerPool, "there is no CUDA stream of the id ", id);
  return pools_of(device_index())
      .streams[static_cast<size_t>(priority_in(id))][static_cast<size_t>(position_in(id))];
}

bool CUDAStream::query() const {
  impl::DeviceScope scope(device_index());
  cudaError_t state = cudaStreamQuery(stream());
  if (state == cudaErrorNotReady) {
    (void)cudaGetLastError();
    return false;
  }
  C10_CUDA_CHECK(state);
  return true;
}

void CUDAStream::synchronize() const {
  impl::DeviceScope scope(device_index());
  C10_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

int CUDAStream::priority() const {
  if (!is_of_pool(id()) || priority_in(id()) == 0) return 0;
  int lowest, highest;
  C10_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  return highest;
}

CUDAStream getDefaultCUDAStream(DeviceIndex device) {
  device = device_or_current(device);
  check_device(device);
  return with_id(device, 0);
}

CUDAStream getCurrentCUDAStream(DeviceIndex device) {
  device = device_or_current(device);
  return with_id(device, current_id(device));
}

CUDAStream getStreamFromPool(bool is_high_priority, DeviceIndex device) {
  device = device_or_current(device);
  check_device(device);
  const int priority = is_high_priority;
  uint32_t turn = pools_of(device).next[static_cast<size_t>(priority)]++;
  return with_id(device, pool_id(priority, static_cast<int>(turn % kStreamsPerPool)));
}

CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex device) {
  device = device_or_current(device);
  check_device(device);
  // cudaStreamLegacy is another name of the default stream.
  if (reinterpret_cast<StreamId>(stream) == 1) stream = nullptr;
  TORCH_CHECK(!is_of_pool(reinterpret_cast<StreamId>(stream)),
              "getStreamFromExternal(): ", static_cast<const void*>(stream),
              " is not the address of a CUDA stream");
  return with_id(device, reinterpret_cast<StreamId>(stream));
}

static std::atomic<SyncDebugMode> g_sync_debug_mode{SyncDebugMode::kDefault};

void set_sync_debug_mode(SyncDebugMode mode) { g_sync_debug_mode = mode; }
SyncDebugMode sync_debug_mode() { return g_sync_debug_mode; }

void stream_synchronize(CUDAStream stream, const char* what) {
  if (const SyncDebugMode mode = g_sync_debug_mode; C10_UNLIKELY(mode != SyncDebugMode::kDefault)) {
    TORCH_CHECK(mode == SyncDebugMode::kWarn, what, " waits for ", stream.device(),
                ", which torch.cuda.set_sync_debug_mode(\"error\") refuses");
    TORCH_WARN(what, " waits for ", stream.device());
  }
  stream.synchronize();
}

unsigned long long capture_id(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  C10_CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, &id));
  return status == cudaStreamCaptureStatusNone ? 0 : id;
}

void setCurrentCUDAStream(CUDAStream stream) { current_id(stream.device_index()) = stream.id(); }

}  // namespace c10::cuda
