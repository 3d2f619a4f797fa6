#pragma once
// 8 bits: sign, 5 exponent, 2 mantissa, with infinities; largest 57344.

#include <c10/util/reduced_float.h>

namespace c10 {

struct alignas(1) Float8_e5m2 : detail::ReducedFloatTag {
  using Format = detail::MiniFloat<uint8_t, 5, 2, 15, detail::MiniFloatKind::IEEE>;

  uint8_t x;

  Float8_e5m2() = default;
  constexpr C10_HOST_DEVICE Float8_e5m2(uint8_t bits, from_bits_t) : x(bits) {}
  constexpr C10_HOST_DEVICE Float8_e5m2(float value) : x(Format::from_float(value)) {}
  constexpr C10_HOST_DEVICE operator float() const { return Format::to_float(x); }

  static constexpr from_bits_t from_bits() { return from_bits_t(); }
  constexpr C10_HOST_DEVICE bool isnan() const { return (x & 0x7f) > 0x7c; }
};

}  // namespace c10

template <>
class std::numeric_limits<c10::Float8_e5m2>
    : public c10::detail::ReducedFloatLimits<c10::Float8_e5m2> {};
