#pragma once
// Conversion between float and the formats of 8 and 16 bits, rounding to nearest even, in constexpr
// bit arithmetic. Half, BFloat16 and the Float8 types are thin wrappers over this and
// reduced_float.h.

#include <c10/macros/Macros.h>

#include <cstdint>

namespace c10::detail {

enum class MiniFloatKind {
  IEEE,  // has infinities; overflow gives one
  FN,    // no infinities, one NaN per sign; overflow gives the largest finite number
  FNUZ,  // no infinities, no negative zero (its pattern is the one NaN); overflow gives NaN
};

// A format with a sign, ExponentBits and MantissaBits, and the given exponent bias.
template <class Bits_, int ExponentBits, int MantissaBits_, int Bias_, MiniFloatKind Kind_>
struct MiniFloat {
  using Bits = Bits_;
  static constexpr int kMantissaBits = MantissaBits_;
  static constexpr int kBias = Bias_;
  static constexpr MiniFloatKind kKind = Kind_;
  static constexpr uint32_t kSign = 1u << (ExponentBits + MantissaBits_);
  static constexpr uint32_t kMagnitude = kSign - 1;
  static constexpr uint32_t kInfinity = ((1u << ExponentBits) - 1) << MantissaBits_;
  static constexpr uint32_t kMax = Kind_ == MiniFloatKind::IEEE ? kInfinity - 1
                                   : Kind_ == MiniFloatKind::FN ? kMagnitude - 1
                                                                : kMagnitude;
  static constexpr uint32_t kNaN = Kind_ == MiniFloatKind::IEEE && sizeof(Bits_) == 2
                                       ? kInfinity | (1u << (MantissaBits_ - 1))
                                   : Kind_ != MiniFloatKind::FNUZ ? kMagnitude
                                                                  : kSign;
  // The shift of a mantissa of this format to its position in a float, and an exponent's bias.
  static constexpr int kShift = 23 - MantissaBits_;
  static constexpr uint32_t kRebias = static_cast<uint32_t>(127 - Bias_) << 23;
  // 2^(exponent of the smallest subnormal) as a float.
  static constexpr float kSmallest =
      __builtin_bit_cast(float, static_cast<uint32_t>(127 + 1 - Bias_ - MantissaBits_) << 23);

  static constexpr C10_HOST_DEVICE Bits from_float(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const uint32_t sign = (bits >> 31) != 0 ? kSign : 0;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
      return static_cast<Bits>(Kind_ == MiniFloatKind::FNUZ ? kNaN : sign | kNaN);
    }
    uint32_t result = 0;
    if (magnitude < kRebias + (1u << 23)) {
      // Subnormal here: adding 2^23 times the smallest step makes the float unit do the rounding.
      const float step = kSmallest * 8388608.0f;
      const float sum = __builtin_bit_cast(float, magnitude) + step;
      result = __builtin_bit_cast(uint32_t, sum) - __builtin_bit_cast(uint32_t, step);
    } else {
      const uint32_t odd = (magnitude >> kShift) & 1;
      result = (magnitude - kRebias + ((1u << (kShift - 1)) - 1) + odd) >> kShift;
    }
    if (result > kMax) {
      if constexpr (Kind_ == MiniFloatKind::FNUZ) {
        return static_cast<Bits>(kNaN);
      }
      result = Kind_ == MiniFloatKind::IEEE ? kInfinity : kMax;
    }
    if (Kind_ == MiniFloatKind::FNUZ && result == 0) {
      return 0;
    }
    return static_cast<Bits>(sign | result);
  }

  static constexpr C10_HOST_DEVICE float to_float(Bits bits) {
    const uint32_t magnitude = bits & kMagnitude;
    const uint32_t sign = (bits & kSign) != 0 ? 0x80000000u : 0;
    uint32_t result = 0;
    if (Kind_ == MiniFloatKind::FNUZ && bits == kNaN) {
      return __builtin_bit_cast(float, 0x7fc00000u);
    }
    if (Kind_ == MiniFloatKind::FN && magnitude == kNaN) {
      return __builtin_bit_cast(float, sign | 0x7fc00000u);
    }
    if (Kind_ == MiniFloatKind::IEEE && magnitude >= kInfinity) {
      const uint32_t payload = (magnitude - kInfinity) << kShift;
      result = payload == 0 ? 0x7f800000u : 0x7fc00000u | payload;
    } else if (magnitude >= (1u << MantissaBits_)) {
      result = (magnitude << kShift) + kRebias;
    } else {
      result = __builtin_bit_cast(uint32_t, static_cast<float>(magnitude) * kSmallest);
    }
    return __builtin_bit_cast(float, sign | result);
  }
};

}  // namespace c10::detail
