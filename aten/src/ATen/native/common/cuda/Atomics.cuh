#pragma once
// Atomic changes of elements of any type.
//
//   atomic_add(address, value);
//   atomic_update(address, [=](T old) { return old * value; });   // up to eight bytes

#include <cstring>
#include <type_traits>

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>
#include <cuda_runtime.h>

namespace at::native {

namespace atomics {

template <size_t bytes>
struct WordOf;
template <>
struct WordOf<2> {
  using type = unsigned short;
};
template <>
struct WordOf<4> {
  using type = unsigned;
};
template <>
struct WordOf<8> {
  using type = unsigned long long;
};

template <typename To, typename From>
__device__ To bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof to);
  return to;
}

}  // namespace atomics

template <typename T, typename F>
__device__ void atomic_update(T* at, const F& f) {
  static_assert(sizeof(T) <= 8, "no processor has an atomic operation of this width");
  if constexpr (sizeof(T) == 1) {
    // A byte is a part of the word around it.
    auto* word = reinterpret_cast<unsigned*>(reinterpret_cast<uintptr_t>(at) & ~uintptr_t(3));
    const unsigned shift = 8 * static_cast<unsigned>(reinterpret_cast<uintptr_t>(at) & 3);
    unsigned old = *word, expected;
    do {
      expected = old;
      const T now = f(atomics::bits<T>(static_cast<uint8_t>(expected >> shift)));
      const unsigned changed = static_cast<unsigned>(atomics::bits<uint8_t>(now)) << shift;
      old = atomicCAS(word, expected, (expected & ~(0xffu << shift)) | changed);
    } while (old != expected);
  } else {
    using Word = typename atomics::WordOf<sizeof(T)>::type;
    auto* word = reinterpret_cast<Word*>(at);
    Word old = *word, expected;
    do {
      expected = old;
      old = atomicCAS(word, expected,
                      atomics::bits<Word>(static_cast<T>(f(atomics::bits<T>(expected)))));
    } while (old != expected);
  }
}

template <typename T>
__device__ void atomic_add(T* at, T value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int>) {
    atomicAdd(at, value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
  } else if constexpr (c10::is_complex<T>::value && sizeof(T) == 16) {
    atomicAdd(reinterpret_cast<double*>(at), value.real());
    atomicAdd(reinterpret_cast<double*>(at) + 1, value.imag());
  } else if constexpr (std::is_same_v<T, bool>) {
    if (value) atomic_update(at, [](bool) { return true; });
  } else {
    atomic_update(at, [=](T old) { return static_cast<T>(old + value); });
  }
}

}  // namespace at::native
