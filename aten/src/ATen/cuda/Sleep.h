#pragma once
// A kernel that waits.

#include <cstdint>

namespace at::cuda {

// Keeps the current stream busy for so many cycles of the GPU's clock: for tests of what overlaps.
void sleep(int64_t cycles);

}  // namespace at::cuda
