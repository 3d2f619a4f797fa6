#pragma once
// What a PrivateUse1 backend provides besides kernels: generators, pinned memory, the device of a
// pointer. It registers one object when it is loaded:
//
//   at::RegisterPrivateUse1HooksInterface(new MyHooks);

#include <ATen/core/Generator.h>
#include <c10/core/Allocator.h>
#include <c10/core/StorageImpl.h>

namespace at {

struct PrivateUse1HooksInterface {
  virtual ~PrivateUse1HooksInterface() = default;

  // Called before the first use of the device.
  virtual void init() const {}
  virtual bool isAvailable() const { return true; }
  // Whether the device has been used in this process.
  virtual bool hasPrimaryContext(c10::DeviceIndex) const { return true; }

  // The generator that random operators use by default, and a new one.
  virtual const Generator& getDefaultGenerator(c10::DeviceIndex index = -1) const;
  virtual Generator getNewGenerator(c10::DeviceIndex index = -1) const;

  virtual c10::Device getDeviceFromPtr(void* data) const;
  virtual bool isPinnedPtr(const void*) const { return false; }
  virtual c10::Allocator* getPinnedMemoryAllocator() const;
  // Grows or shrinks a storage, keeping the bytes that both sizes have.
  virtual void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const;

 protected:
  [[noreturn]] static void missing(const char* what);
};

// Throws if there is one already.
void RegisterPrivateUse1HooksInterface(PrivateUse1HooksInterface* hooks);
bool isPrivateUse1HooksRegistered();

namespace detail {
// Throws if no backend is loaded.
const PrivateUse1HooksInterface& getPrivateUse1Hooks();
}  // namespace detail

}  // namespace at
