// The registry of pinned memory: one entry per device type.

#include <c10/core/impl/PinnedMemory.h>

#include <atomic>

#include <c10/core/impl/BackendLibrary.h>

namespace c10::impl {

constexpr int kNumDeviceTypes = static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);
static std::atomic<const PinnedMemory*> g_memory[kNumDeviceTypes];

static const PinnedMemory* registered(DeviceType type) {
  return g_memory[static_cast<int>(type)].load();
}

void register_pinned_memory(DeviceType type, const PinnedMemory* memory) {
  g_memory[static_cast<int>(type)].store(memory);
}

const PinnedMemory* pinned_memory(std::optional<DeviceType> type) {
  if (type) {
    const PinnedMemory* found = registered(*type);
    return !found && load_backend_library(*type) ? registered(*type) : found;
  }
  for (const auto& entry : g_memory)
    if (const PinnedMemory* found = entry.load()) return found;
  return pinned_memory(DeviceType::CUDA);
}

bool is_pinned(const void* address, std::optional<DeviceType> type) {
  if (!address) return false;
  if (type) {
    const PinnedMemory* found = registered(*type);
    return found && found->contains(address);
  }
  for (const auto& entry : g_memory) {
    const PinnedMemory* found = entry.load();
    if (found && found->contains(address)) return true;
  }
  return false;
}

}  // namespace c10::impl
