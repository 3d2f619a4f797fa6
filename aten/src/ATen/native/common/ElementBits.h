#pragma once
// Moves elements without interpreting them: unsigned integers of the same size represent them.

#include <cstddef>
#include <cstdint>

namespace at::native {

struct Bytes16 {
  uint64_t x[2];
};

// Calls f with a value of the type with that many bytes, for elements of 1 to 16 bytes.
template <typename F>
auto by_size(size_t itemsize, const F& f) {
  switch (itemsize) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    case 8:
      return f(uint64_t());
    default:
      return f(Bytes16());
  }
}

}  // namespace at::native
