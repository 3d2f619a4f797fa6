// The device's memory: pages that are closed to the CPU.

#include <sys/mman.h>

#include <map>
#include <mutex>

#include "device.h"

namespace npu {
namespace {

struct Block {
  size_t bytes;
  int open = 0;  // kernels that use it now
};
std::mutex g_mutex;
std::map<void*, Block>& blocks() {
  static auto* all = new std::map<void*, Block>;
  return *all;
}

// The block that an address is in.
std::map<void*, Block>::iterator block_of(void* address) {
  auto at = blocks().upper_bound(address);
  TORCH_CHECK(at != blocks().begin(), "not an address of the device");
  return --at;
}

void free_block(void* address) {
  std::lock_guard<std::mutex> lock(g_mutex);
  auto at = blocks().find(address);
  munmap(address, at->second.bytes);
  blocks().erase(at);
}

struct DeviceAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t nbytes) override {
    c10::Device device(kType, static_cast<c10::DeviceIndex>(current_device()));
    if (nbytes == 0) return c10::DataPtr(nullptr, device);
    size_t pages = (nbytes + 4095) / 4096 * 4096;
    void* address = mmap(nullptr, pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TORCH_CHECK(address != MAP_FAILED, "the device is out of memory");
    std::lock_guard<std::mutex> lock(g_mutex);
    blocks()[address] = Block{pages};
    return c10::DataPtr(address, address, &free_block, device);
  }
};
DeviceAllocator g_allocator;
const bool g_registered = (c10::SetAllocator(kType, &g_allocator), true);

}  // namespace

Kernel::Kernel(std::initializer_list<at::Tensor> tensors) {
  std::lock_guard<std::mutex> lock(g_mutex);
  for (const at::Tensor& t : tensors) {
    if (!t.defined() || t.device().type() != kType || t.storage().nbytes() == 0) continue;
    auto at = block_of(t.storage().data());
    if (at->second.open++ == 0) mprotect(at->first, at->second.bytes, PROT_READ | PROT_WRITE);
    opened_.push_back(at->first);
  }
}

Kernel::~Kernel() {
  std::lock_guard<std::mutex> lock(g_mutex);
  for (void* address : opened_) {
    Block& block = blocks().at(address);
    if (--block.open == 0) mprotect(address, block.bytes, PROT_NONE);
  }
}

at::Tensor seen_by_kernel(const at::Tensor& t) {
  if (t.device().type() != kType) return t;
  return at::from_blob(t.data_ptr(), t.sizes(), t.strides(),
                       at::TensorOptions().dtype(t.scalar_type()));
}

size_t allocated_bytes() {
  std::lock_guard<std::mutex> lock(g_mutex);
  size_t total = 0;
  for (const auto& [address, block] : blocks()) total += block.bytes;
  return total;
}

}  // namespace npu
