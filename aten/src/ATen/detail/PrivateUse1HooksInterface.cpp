// The hooks of the PrivateUse1 backend: one object per process.

#include <ATen/detail/PrivateUse1HooksInterface.h>

#include <atomic>

#include <c10/util/Exception.h>

namespace at {

static std::atomic<PrivateUse1HooksInterface*> g_hooks{nullptr};

void RegisterPrivateUse1HooksInterface(PrivateUse1HooksInterface* hooks) {
  PrivateUse1HooksInterface* none = nullptr;
  TORCH_CHECK(g_hooks.compare_exchange_strong(none, hooks),
              "RegisterPrivateUse1HooksInterface: this process has hooks for ",
              c10::get_privateuse1_backend(), " devices already");
}

bool isPrivateUse1HooksRegistered() { return g_hooks.load() != nullptr; }

const PrivateUse1HooksInterface& detail::getPrivateUse1Hooks() {
  const PrivateUse1HooksInterface* hooks = g_hooks.load();
  TORCH_CHECK(hooks, "no backend for ", c10::get_privateuse1_backend(),
              " devices has registered its hooks (RegisterPrivateUse1HooksInterface)");
  return *hooks;
}

void PrivateUse1HooksInterface::missing(const char* what) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "the backend of ", c10::get_privateuse1_backend(),
                              " devices has no ", what);
  __builtin_unreachable();
}

const Generator& PrivateUse1HooksInterface::getDefaultGenerator(c10::DeviceIndex) const {
  missing("default generator");
}
Generator PrivateUse1HooksInterface::getNewGenerator(c10::DeviceIndex) const {
  missing("generators");
}
c10::Device PrivateUse1HooksInterface::getDeviceFromPtr(void*) const {
  missing("way to tell whose memory a pointer names");
}
c10::Allocator* PrivateUse1HooksInterface::getPinnedMemoryAllocator() const {
  missing("pinned memory");
}
void PrivateUse1HooksInterface::resizePrivateUse1Bytes(const c10::Storage&, size_t) const {
  missing("storages that can be resized");
}

}  // namespace at
