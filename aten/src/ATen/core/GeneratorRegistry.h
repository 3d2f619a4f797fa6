#pragma once
// The generators of devices other than the CPU. A backend registers them when it is loaded.

#include <ATen/core/Generator.h>

namespace at {

struct DeviceGenerators {
  virtual ~DeviceGenerators() = default;
  // The one that operators draw from if none is given.
  virtual const Generator& default_generator(c10::DeviceIndex device) const = 0;
  virtual Generator make(c10::DeviceIndex device) const = 0;
  virtual void seed_all(uint64_t seed) const = 0;  // the default ones
  // For generators that graphs draw from: those that share a state go on together. A new one with
  // the state of another one, and one that takes it. Throw where there are no graphs.
  virtual Generator share_state(const Generator& source) const;
  virtual void take_state(const Generator& generator, const Generator& source) const;
};

void register_device_generators(c10::DeviceType type, const DeviceGenerators* generators);
// Loads the library of the backend if need be. Throws if the device type has no generators.
const DeviceGenerators& device_generators(c10::DeviceType type);

// Seeds the default generators of all devices besides the CPU, also of backends that are not loaded
// yet: they start with default_device_seed().
void seed_device_generators(uint64_t seed);
uint64_t default_device_seed();

}  // namespace at
