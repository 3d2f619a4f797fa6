// The registry of device guards: one per device type.

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>

#include <c10/core/impl/BackendLibrary.h>

namespace c10 {
namespace impl {

constexpr int kNumDeviceTypes = static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);
static std::atomic<const DeviceGuardImplInterface*> g_guards[kNumDeviceTypes];

static const DeviceGuardImplInterface* find_guard(DeviceType type) {
  auto& guard = g_guards[static_cast<int>(type)];
  const DeviceGuardImplInterface* found = guard.load();
  if (C10_UNLIKELY(!found) && load_backend_library(type)) found = guard.load();
  return found;
}

const DeviceGuardImplInterface* getDeviceGuardImpl(DeviceType type) {
  const DeviceGuardImplInterface* found = find_guard(type);
  TORCH_CHECK(found, "no backend for ", DeviceTypeName(type), " devices is loaded");
  return found;
}

bool hasDeviceGuardImpl(DeviceType type) { return find_guard(type) != nullptr; }

void setDeviceGuardImpl(DeviceType type, const DeviceGuardImplInterface* impl) {
  g_guards[static_cast<int>(type)].store(impl);
}

void DeviceGuardImplInterface::unsupported(const char* what) const {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "the backend of ", DeviceTypeName(type()),
                              " devices does not support ", what);
  __builtin_unreachable();
}

}  // namespace impl

bool Stream::query() const { return impl::getDeviceGuardImpl(device_type())->queryStream(*this); }

void Stream::synchronize() const {
  impl::getDeviceGuardImpl(device_type())->synchronizeStream(*this);
}

}  // namespace c10
