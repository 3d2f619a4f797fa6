#pragma once
// 8 bits of exponent and nothing else: the powers of two from 2^-127 to 2^127, and NaN (0xff).
// Serves as the scale of block-scaled formats. Has no sign and no zero.

#include <c10/util/reduced_float.h>

namespace c10 {

struct alignas(1) Float8_e8m0fnu : detail::ReducedFloatTag {
  uint8_t x;

  Float8_e8m0fnu() = default;
  constexpr C10_HOST_DEVICE Float8_e8m0fnu(uint8_t bits, from_bits_t) : x(bits) {}
  constexpr C10_HOST_DEVICE Float8_e8m0fnu(float value) : x(nearest_exponent(value)) {}
  constexpr C10_HOST_DEVICE operator float() const {
    // 2^-127 is a subnormal float: its one mantissa bit is the topmost.
    const uint32_t bits = x == 0      ? 0x00400000u
                          : x == 0xff ? 0x7fc00000u
                                      : static_cast<uint32_t>(x) << 23;
    return __builtin_bit_cast(float, bits);
  }

  static constexpr from_bits_t from_bits() { return from_bits_t(); }
  constexpr C10_HOST_DEVICE bool isnan() const { return x == 0xff; }

 private:
  // The sign is dropped; halfway cases go up, except that 2^-127's go to the even 0.
  static constexpr C10_HOST_DEVICE uint8_t nearest_exponent(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const uint32_t exponent = (bits >> 23) & 0xff;
    const bool half = (bits & 0x00400000u) != 0;
    const bool above_half = (bits & 0x003fffffu) != 0;
    if (exponent == 0xff) {
      return 0xff;
    }
    return static_cast<uint8_t>(exponent + (half && (exponent > 0 || above_half) ? 1 : 0));
  }
};

}  // namespace c10

template <>
class std::numeric_limits<c10::Float8_e8m0fnu> {
  using T = c10::Float8_e8m0fnu;

 public:
  static constexpr T min() { return T(0, c10::from_bits); }
  static constexpr T lowest() { return min(); }
  static constexpr T max() { return T(254, c10::from_bits); }
  static constexpr T epsilon() { return T(127, c10::from_bits); }
  static constexpr T quiet_NaN() { return T(255, c10::from_bits); }
  static constexpr int digits = 1;
  static constexpr int radix = 2;
  static constexpr int min_exponent = -126;
  static constexpr int max_exponent = 128;
  static constexpr bool is_specialized = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_infinity = false;
  static constexpr bool is_exact = false, is_integer = false, is_signed = false;
};
