// Access of one emulated device to the memory of another one, and copies between them.

#include <set>

#include "activities.h"
#include "device.h"

namespace torch_emulated_cuda {
namespace {

bool is_device(int device) { return device >= 0 && device < device_count(); }

// Pairs (who reads and writes, whose memory).
std::set<std::pair<int, int>>& enabled() {
  static auto* pairs = new std::set<std::pair<int, int>>();
  return *pairs;
}

// TORCH_CUDA_EMULATED_PEERS=0: devices without a direct connection.
bool have_peers() {
  static const bool have = setting("TORCH_CUDA_EMULATED_PEERS", 1) != 0;
  return have;
}

}  // namespace
}  // namespace torch_emulated_cuda

using namespace torch_emulated_cuda;

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!is_device(device) || !is_device(peer)) return remember(cudaErrorInvalidDevice);
  *can = device != peer && have_peers();
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  const int device = current_device();
  if (!is_device(peer) || peer == device) return remember(cudaErrorInvalidDevice);
  if (flags != 0) return remember(cudaErrorInvalidValue);
  if (!have_peers()) return remember(cudaErrorPeerAccessUnsupported);
  Lock lock(device_mutex());
  const bool is_new = enabled().insert({device, peer}).second;
  return is_new ? cudaSuccess : remember(cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  if (!is_device(peer)) return remember(cudaErrorInvalidDevice);
  Lock lock(device_mutex());
  const bool was_enabled = enabled().erase({current_device(), peer}) > 0;
  return was_enabled ? cudaSuccess : remember(cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  if (!is_device(to_device) || !is_device(from_device)) return remember(cudaErrorInvalidDevice);
  if (bytes == 0) return cudaSuccess;
  int target, source;
  if (!is_device_memory(to, &target) || !is_device_memory(from, &source) || target != to_device ||
      source != from_device)
    return remember(cudaErrorInvalidValue);
  Call call("cudaMemcpyPeerAsync");
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

}  // extern "C"
