#pragma once
// 8 bits: sign, 4 exponent, 3 mantissa; no infinities, no negative zero; largest 240.

#include <c10/util/reduced_float.h>

namespace c10 {

struct alignas(1) Float8_e4m3fnuz : detail::ReducedFloatTag {
  using Format = detail::MiniFloat<uint8_t, 4, 3, 8, detail::MiniFloatKind::FNUZ>;

  uint8_t x;

  Float8_e4m3fnuz() = default;
  constexpr C10_HOST_DEVICE Float8_e4m3fnuz(uint8_t bits, from_bits_t) : x(bits) {}
  constexpr C10_HOST_DEVICE Float8_e4m3fnuz(float value) : x(Format::from_float(value)) {}
  constexpr C10_HOST_DEVICE operator float() const { return Format::to_float(x); }

  static constexpr from_bits_t from_bits() { return from_bits_t(); }
  constexpr C10_HOST_DEVICE bool isnan() const { return x == 0x80; }
};

}  // namespace c10

template <>
class std::numeric_limits<c10::Float8_e4m3fnuz>
    : public c10::detail::ReducedFloatLimits<c10::Float8_e4m3fnuz> {};
