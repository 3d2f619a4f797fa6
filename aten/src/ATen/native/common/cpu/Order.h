#pragma once
// Numbers as keys that compare as they do. The keys of half types are integers: comparing them
// takes no conversion, and loops over them are vectorized.

#include <cstdint>
#include <cstring>

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
struct Order {
  using Key = T;
  static Key key(T x) { return x; }
  static bool is_nan(T x) { return x != x; }
};

// kInfinity: the bits of infinity.
template <typename T, uint16_t kInfinity>
struct HalfOrder {
  using Key = int16_t;
  static constexpr Key kNaN = 0x7fff;
  // NaN is above all numbers. Both zeros are 0.
  static Key key(T x) {
    const uint16_t magnitude = bits(x) & 0x7fff;
    const int16_t value = static_cast<int16_t>(magnitude);
    const int16_t signed_value = bits(x) & 0x8000 ? static_cast<int16_t>(-value) : value;
    return magnitude > kInfinity ? kNaN : signed_value;
  }
  static bool is_nan(T x) { return (bits(x) & 0x7fff) > kInfinity; }
  // The same for a vector of bits, as GCC's vectors of Key are.
  template <typename Keys>
  static Keys keys(Keys bits) {
    const Keys magnitude = bits & 0x7fff, sign = bits >> 15;
    return magnitude > static_cast<Key>(kInfinity) ? Keys{} + kNaN : (magnitude ^ sign) - sign;
  }

 private:
  static uint16_t bits(T x) {
    uint16_t b;
    std::memcpy(&b, &x, sizeof b);
    return b;
  }
};
template <>
struct Order<c10::Half> : HalfOrder<c10::Half, 0x7c00> {};
template <>
struct Order<c10::BFloat16> : HalfOrder<c10::BFloat16, 0x7f80> {};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
