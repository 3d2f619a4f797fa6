#pragma once
// Host memory that a device reads and writes directly. A backend registers it when it is loaded.

#include <optional>

#include <c10/core/Allocator.h>

namespace c10::impl {

struct PinnedMemory {
  virtual ~PinnedMemory() = default;
  virtual Allocator* allocator() const = 0;
  // Whether the address lies in such memory.
  virtual bool contains(const void* address) const = 0;
};

void register_pinned_memory(DeviceType type, const PinnedMemory* memory);
// Loads the library of the backend if need be; CUDA's if no type is given and no other backend has
// registered any. Null if there is none.
const PinnedMemory* pinned_memory(std::optional<DeviceType> type = std::nullopt);
// Loads nothing: memory of a backend that is not loaded is not pinned.
bool is_pinned(const void* address, std::optional<DeviceType> type = std::nullopt);

}  // namespace c10::impl
