#pragma once
// Bools in memory. A program may view any bytes as bools, and NumPy and DLPack bring their own: all
// bytes but 0 are true. C++ reads only 0 and 1 as a bool, so kernels read bytes.

#include <cstdint>

namespace at::native {

inline bool is_true(const void* bools, int64_t i) {
  return static_cast<const uint8_t*>(bools)[i] != 0;
}

// As an element type of loops.
struct BoolByte {
  uint8_t byte;
  explicit operator uint64_t() const { return byte != 0; }
};

}  // namespace at::native
