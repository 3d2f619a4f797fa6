#pragma once
// bfloat16: the upper half of a float, so its range with 8 bits of precision.

#include <c10/util/reduced_float.h>

namespace c10 {

struct alignas(2) BFloat16 : detail::ReducedFloatTag {
  // Only its constants are used: subnormal bfloat16 are subnormal floats, so shifting converts.
  using Format = detail::MiniFloat<uint16_t, 8, 7, 127, detail::MiniFloatKind::IEEE>;

  uint16_t x;

  BFloat16() = default;
  constexpr C10_HOST_DEVICE BFloat16(uint16_t bits, from_bits_t) : x(bits) {}
  constexpr C10_HOST_DEVICE BFloat16(float value) : x(round_to_nearest_even(value)) {}
  constexpr C10_HOST_DEVICE operator float() const {
    return __builtin_bit_cast(float, static_cast<uint32_t>(x) << 16);
  }

  static constexpr from_bits_t from_bits() { return from_bits_t(); }

 private:
  static constexpr C10_HOST_DEVICE uint16_t round_to_nearest_even(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    // Written as a select, not a branch, so that loops over it vectorize.
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
    return static_cast<uint16_t>(value != value ? 0x7fc0u : rounded);
  }
};

}  // namespace c10

template <>
class std::numeric_limits<c10::BFloat16> : public c10::detail::ReducedFloatLimits<c10::BFloat16> {};
