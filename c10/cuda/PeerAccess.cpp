// Peer access is enabled once for each pair of devices, when memory is first copied between them.

#include <c10/cuda/PeerAccess.h>

#include <mutex>
#include <vector>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/impl/DeviceScope.h>
#include <c10/cuda/impl/RelaxedCapture.h>

namespace c10::cuda {
namespace {

enum class Access : char { kUnknown, kNone, kDirect };

Access enable(DeviceIndex device, DeviceIndex peer) {
  if (!can_access_peer(device, peer)) return Access::kNone;
  impl::DeviceScope scope(device);
  impl::RelaxedCapture relaxed;
  const cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
  if (error != cudaSuccess) (void)cudaGetLastError();
  // Another library of the process may have enabled it.
  if (error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled) {
    CUDACachingAllocator::allowPeerAccess(device, peer);
    return Access::kDirect;
  }
  // A device has a limited number of peers; copies to others go through the host.
  if (error == cudaErrorTooManyPeers) return Access::kNone;
  C10_CUDA_CHECK(error);
  return Access::kNone;
}

}  // namespace

bool can_access_peer(DeviceIndex device, DeviceIndex peer) {
  check_device(device);
  check_device(peer);
  int can = 0;
  C10_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, peer));
  return can != 0;
}

bool enable_peer_access(DeviceIndex device, DeviceIndex peer) {
  check_device(device);
  check_device(peer);
  if (device == peer) return true;
  const auto count = static_cast<size_t>(device_count());
  static std::mutex mutex;
  static auto* known = new std::vector<Access>(count * count, Access::kUnknown);
  std::lock_guard<std::mutex> lock(mutex);
  Access& access = (*known)[static_cast<size_t>(device) * count + static_cast<size_t>(peer)];
  if (access == Access::kUnknown) access = enable(device, peer);
  return access == Access::kDirect;
}

}  // namespace c10::cuda
