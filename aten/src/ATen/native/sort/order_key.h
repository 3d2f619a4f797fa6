#pragma once
// The order key of a value, on every device: Note [Order keys] in ATen/native/sort/sort.h.

#include <cstring>
#include <type_traits>

#include <ATen/native/common/TypeDispatch.h>
#include <c10/macros/Macros.h>

namespace at::native {

using OrderedTypes = JoinT<RealTypes, UnsignedTypes, bool>;

// A key has at most this many bytes.
template <typename T>
constexpr int kKeyBytes = sizeof(T) == 8 ? 8 : 4;

template <typename T>
C10_HOST_DEVICE C10_ALWAYS_INLINE uint64_t key_of(T v) {
  if constexpr (std::is_same_v<T, bool>) {
    return static_cast<uint8_t>(v) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    constexpr U kTop = std::is_signed_v<T> ? U(1) << (sizeof(T) * 8 - 1) : U(0);
    return static_cast<U>(static_cast<U>(v) ^ kTop);
  } else {
    // Half and BFloat16 are ordered as the floats that represent them exactly.
    using F = std::conditional_t<std::is_same_v<T, double>, double, float>;
    using U = std::conditional_t<std::is_same_v<T, double>, uint64_t, uint32_t>;
    F f = static_cast<F>(v);
    if (f != f) return static_cast<U>(~U(0));
    f += F(0);  // -0 becomes 0
    U bits;
    memcpy(&bits, &f, sizeof bits);
    constexpr U kTop = U(1) << (sizeof(U) * 8 - 1);
    return static_cast<U>(bits & kTop ? ~bits : bits | kTop);
  }
}

// The integer (or bool) that has this key.
template <typename T>
C10_HOST_DEVICE C10_ALWAYS_INLINE T integer_of(uint64_t key) {
  if constexpr (std::is_same_v<T, bool>) {
    return key != 0;
  } else {
    using U = std::make_unsigned_t<T>;
    constexpr U kTop = std::is_signed_v<T> ? U(1) << (sizeof(T) * 8 - 1) : U(0);
    return static_cast<T>(static_cast<U>(key) ^ kTop);
  }
}

}  // namespace at::native
