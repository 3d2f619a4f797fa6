// Calls the functions of a program's allocator, and remembers what its free function takes.

#include <c10/cuda/PluggableAllocator.h>

#include <atomic>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/impl/DeviceScope.h>

namespace c10::cuda {
namespace {

std::atomic<bool> g_is_pluggable{false};

struct Piece {
  FreeFunction free;
  void* address;
  ssize_t size;
  DeviceIndex device;
  cudaStream_t stream;
};

void free_piece(void* context) {
  std::unique_ptr<Piece> piece(static_cast<Piece*>(context));
  impl::DeviceScope scope(piece->device);
  piece->free(piece->address, piece->size, piece->device, piece->stream);
}

}  // namespace

DataPtr PluggableAllocator::allocate(size_t bytes) {
  const DeviceIndex index = current_device();
  const Device device(DeviceType::CUDA, index);
  if (bytes == 0) return DataPtr(nullptr, device);
  const cudaStream_t stream = getCurrentCUDAStream(index);
  const auto size = static_cast<ssize_t>(bytes);
  void* address = take(bytes, index, stream);
  if (!address)
    throw DeviceOutOfMemoryError("CUDA out of memory: the program's allocator has no " +
                                 std::to_string(bytes) + " bytes on " + device.str());
  return DataPtr(address, new Piece{free_, address, size, index, stream}, &free_piece, device);
}

void* PluggableAllocator::take(size_t bytes, DeviceIndex device, cudaStream_t stream) const {
  impl::DeviceScope scope(device);
  return alloc_(static_cast<ssize_t>(bytes), device, stream);
}

void PluggableAllocator::give_back(void* address, size_t bytes, DeviceIndex device,
                                   cudaStream_t stream) const {
  impl::DeviceScope scope(device);
  free_(address, static_cast<ssize_t>(bytes), device, stream);
}

void change_current_allocator(PluggableAllocator* allocator) {
  for (DeviceIndex d = 0; d < device_count(); ++d) {
    auto stats = CUDACachingAllocator::getDeviceStats(d);
    TORCH_CHECK(!g_is_pluggable && stats.num_device_alloc == 0,
                "change_current_allocator(): device memory was allocated before; call it first");
  }
  g_is_pluggable = true;
  SetAllocator(DeviceType::CUDA, allocator);
}
bool has_pluggable_allocator() { return g_is_pluggable; }

}  // namespace c10::cuda
