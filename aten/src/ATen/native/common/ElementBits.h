#pragma once
// Moves elements without interpreting them: unsigned integers of the same size represent them.

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

// a or b, without a branch, whose way a processor would guess wrong half of the time.
template <typename T>
inline T choose_bits(bool first, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const T only_b = static_cast<T>(T(first) - T(1));
    return static_cast<T>((a & ~only_b) | (b & only_b));
  } else {
    return first ? a : b;
  }
}

}  // namespace at::native
