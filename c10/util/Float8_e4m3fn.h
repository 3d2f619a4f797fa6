#pragma once
// 8 bits: sign, 4 exponent, 3 mantissa; no infinities; largest 448.

#include <c10/util/reduced_float.h>

namespace c10 {

struct alignas(1) Float8_e4m3fn : detail::ReducedFloatTag {
  using Format = detail::MiniFloat<uint8_t, 4, 3, 7, detail::MiniFloatKind::FN>;

  uint8_t x;

  Float8_e4m3fn() = default;
  constexpr C10_HOST_DEVICE Float8_e4m3fn(uint8_t bits, from_bits_t) : x(bits) {}
  constexpr C10_HOST_DEVICE Float8_e4m3fn(float value) : x(Format::from_float(value)) {}
  constexpr C10_HOST_DEVICE operator float() const { return Format::to_float(x); }

  static constexpr from_bits_t from_bits() { return from_bits_t(); }
  constexpr C10_HOST_DEVICE bool isnan() const { return (x & 0x7f) == 0x7f; }
};

}  // namespace c10

template <>
class std::numeric_limits<c10::Float8_e4m3fn>
    : public c10::detail::ReducedFloatLimits<c10::Float8_e4m3fn> {};
