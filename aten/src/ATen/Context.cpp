// at::manual_seed: seeds the default generator.

#include <mutex>

#include <ATen/CPUGeneratorImpl.h>

namespace at {

void manual_seed(uint64_t seed) {
  const Generator& g = default_cpu_generator();
  std::lock_guard<std::mutex> lock(g.mutex());
  g.set_current_seed(seed);
}

namespace detail {
const Generator& getDefaultCPUGenerator() { return default_cpu_generator(); }
}  // namespace detail

}  // namespace at
