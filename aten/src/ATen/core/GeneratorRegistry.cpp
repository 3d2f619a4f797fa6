// The registry of generators: one entry per device type.

#include <ATen/core/GeneratorRegistry.h>

#include <atomic>

#include <c10/core/impl/BackendLibrary.h>
#include <c10/util/Exception.h>

namespace at {

uint64_t GeneratorImpl::get_offset() const {
  TORCH_CHECK(false, "get_offset: a generator of ", device_, " has no offset");
}
void GeneratorImpl::set_offset(uint64_t) {
  TORCH_CHECK(false, "set_offset: a generator of ", device_, " has no offset");
}

Generator DeviceGenerators::share_state(const Generator& source) const {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "graphsafe_get_state: no graph draws from a generator of ",
                              source.device());
}
void DeviceGenerators::take_state(const Generator& generator, const Generator&) const {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "graphsafe_set_state: no graph draws from a generator of ",
                              generator.device());
}

constexpr int kNumDeviceTypes = static_cast<int>(c10::DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);
static std::atomic<const DeviceGenerators*> g_generators[kNumDeviceTypes];

void register_device_generators(c10::DeviceType type, const DeviceGenerators* generators) {
  g_generators[static_cast<int>(type)].store(generators);
}

const DeviceGenerators& device_generators(c10::DeviceType type) {
  auto& entry = g_generators[static_cast<int>(type)];
  const DeviceGenerators* found = entry.load();
  if (!found && c10::impl::load_backend_library(type)) found = entry.load();
  TORCH_CHECK(found, "Generator(): ", c10::DeviceTypeName(type),
              " devices have no generator in this build");
  return *found;
}

static std::atomic<uint64_t> g_seed{67280421310721ull};

void seed_device_generators(uint64_t seed) {
  g_seed = seed;
  for (auto& entry : g_generators)
    if (const DeviceGenerators* found = entry.load()) found->seed_all(seed);
}

uint64_t default_device_seed() { return g_seed; }

}  // namespace at
