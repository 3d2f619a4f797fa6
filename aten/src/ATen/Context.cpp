// The settings of the process, and at::manual_seed.

#include <ATen/Context.h>

#include <mutex>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/GeneratorRegistry.h>

namespace at {

Context& globalContext() {
  static Context context;
  return context;
}

// Seeds the default generators of all devices.
void manual_seed(uint64_t seed) {
  const Generator& g = default_cpu_generator();
  {
    std::lock_guard<std::mutex> lock(g.mutex());
    g.set_current_seed(seed);
  }
  seed_device_generators(seed);
}

namespace detail {
const Generator& getDefaultCPUGenerator() { return default_cpu_generator(); }
}  // namespace detail

}  // namespace at
