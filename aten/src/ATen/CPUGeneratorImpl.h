#pragma once
// The CPU's generator: a 32-bit Mersenne Twister (MT19937, Matsumoto and Nishimura 1998) with PyTorch's streams:
// the same seed gives the same numbers, and the state has PyTorch's byte layout.

#include <optional>

#include <ATen/core/Generator.h>

namespace at {

struct CPUGeneratorImpl;

Generator make_cpu_generator(uint64_t seed = 67280421310721ull);
const Generator& default_cpu_generator();
// The generator of an optional argument: the default one where there is none. Throws for another device's.
CPUGeneratorImpl* cpu_generator_or_default(const std::optional<Generator>& g);

}  // namespace at
