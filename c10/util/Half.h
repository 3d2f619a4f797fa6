#pragma once
// IEEE binary16. Conversions use the F16C instructions if the compiler may, else bit arithmetic
// with the same results. Always inlined: the linker must not pick an out-of-line copy that was
// compiled for a newer processor.

#include <c10/util/reduced_float.h>

namespace c10 {

struct alignas(2) Half : detail::ReducedFloatTag {
  using Format = detail::MiniFloat<uint16_t, 5, 10, 15, detail::MiniFloatKind::IEEE>;

  uint16_t x;

  Half() = default;
  constexpr C10_HOST_DEVICE Half(uint16_t bits, from_bits_t) : x(bits) {}
  C10_ALWAYS_INLINE constexpr C10_HOST_DEVICE Half(float value) : x(convert(value)) {}
  C10_ALWAYS_INLINE constexpr C10_HOST_DEVICE operator float() const {
#if defined(__F16C__) && !defined(__CUDACC__)
    // Not by way of _Float16: GCC would compare two of them, or widen them to double, by a call of
    // its library.
    if (!__builtin_is_constant_evaluated()) {
      typedef short Halves __attribute__((vector_size(16)));
      return __builtin_ia32_vcvtph2ps(Halves{static_cast<short>(x)})[0];
    }
#endif
    return Format::to_float(x);
  }

  static constexpr from_bits_t from_bits() { return from_bits_t(); }

 private:
  C10_ALWAYS_INLINE static constexpr C10_HOST_DEVICE uint16_t convert(float value) {
#if defined(__F16C__) && !defined(__CUDACC__)
    return __builtin_bit_cast(uint16_t, static_cast<_Float16>(value));
#else
    return Format::from_float(value);
#endif
  }
};

}  // namespace c10

template <>
class std::numeric_limits<c10::Half> : public c10::detail::ReducedFloatLimits<c10::Half> {};
