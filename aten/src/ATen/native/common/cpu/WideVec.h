#pragma once
// Vectors of the type that elements are summed in: halves are widened as they are loaded and
// narrowed as they are stored, other types stay as they are.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <ATen/native/common/SumType.h>
#include <ATen/native/common/cpu/HalfConversion.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Converts n adjacent elements from one of the two types to the other, or copies them.
template <typename From, typename To>
void convert_run(const From* from, To* to, int64_t n) {
  using HalfComplex = c10::complex<c10::Half>;
  if constexpr (std::is_same_v<From, To>) {
    std::copy_n(from, n, to);
  } else if constexpr (std::is_same_v<From, HalfComplex>) {
    half_to_float(reinterpret_cast<const c10::Half*>(from), reinterpret_cast<float*>(to), 2 * n);
  } else if constexpr (std::is_same_v<To, HalfComplex>) {
    float_to_half(reinterpret_cast<const float*>(from), reinterpret_cast<c10::Half*>(to), 2 * n);
  } else if constexpr (std::is_same_v<From, float>) {
    narrow(from, to, n);
  } else {
    widen(from, to, n);
  }
}

// The first n < 16 halves of memory, and zeros, as one vector; and the first n of such a vector.
template <typename T>
void copy_first(const T* from, T* part, int64_t n) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const auto mask = static_cast<__mmask16>((1u << n) - 1);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(part), _mm256_maskz_loadu_epi16(mask, from));
#elif defined(__AVX2__)
  // In pieces that become one register: a load would wait for elements that were stored alone.
  const auto up_to_three = [](const T* p, int64_t count) {
    uint64_t bits = 0;
    if (count & 2) std::memcpy(&bits, p, 4);
    uint16_t last = 0;
    if (count & 1) std::memcpy(&last, p + (count & 2), 2);
    return bits | static_cast<uint64_t>(last) << (16 * (count & 2));
  };
  uint64_t low, high = 0;
  if (n >= 4) {
    std::memcpy(&low, from, 8);
    high = up_to_three(from + 4, n - 4);
  } else {
    low = up_to_three(from, n);
  }
  _mm_storeu_si128(reinterpret_cast<__m128i*>(part),
                   _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low)));
#else
  std::fill_n(part, Vec<SumType<T>>::size, T(0));
  std::copy_n(from, n, part);
#endif
}
template <typename T>
void store_first(const T* part, T* to, int64_t n) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const auto mask = static_cast<__mmask16>((1u << n) - 1);
  _mm256_mask_storeu_epi16(to, mask, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(part)));
#elif defined(__AVX2__)
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(part));
  uint64_t rest = static_cast<uint64_t>(_mm_cvtsi128_si64(all));
  if (n & 4) {
    std::memcpy(to, &rest, 8);
    to += 4;
    rest = static_cast<uint64_t>(_mm_extract_epi64(all, 1));
  }
  if (n & 2) {
    std::memcpy(to, &rest, 4);
    to += 2;
    rest >>= 32;
  }
  if (n & 1) std::memcpy(to, &rest, 2);
#else
  std::copy_n(part, n, to);
#endif
}

// A vector of numbers, in the type that they are summed in.
template <typename T>
Vec<SumType<T>> load_wide(const T* from) {
  using V = Vec<SumType<T>>;
  if constexpr (std::is_same_v<T, c10::BFloat16>) {
    return bfloat16_vectors::load(from);
  } else if constexpr (kSumsAreWide<T>) {
    alignas(kVecBytes) SumType<T> wide[V::size];
    convert_run(from, wide, V::size);
    return V::load(wide);
  } else {
    return V::load(from);
  }
}

// The first n lanes of one; the others are 0.
template <typename T>
Vec<SumType<T>> load_wide(const T* from, int64_t n) {
  using V = Vec<SumType<T>>;
  if constexpr (kSumsAreWide<T>) {
    T part[V::size];
    copy_first(from, part, n);
    return load_wide(part);
  } else {
    return V::load(from, n);
  }
}

// The opposite: a vector of sums, as elements in memory.
template <typename T>
void store_narrow(Vec<SumType<T>> v, T* to) {
  using V = Vec<SumType<T>>;
  if constexpr (std::is_same_v<T, c10::BFloat16>) {
    bfloat16_vectors::store(v, to);
  } else if constexpr (kSumsAreWide<T>) {
    alignas(kVecBytes) SumType<T> wide[V::size];
    v.store(wide);
    convert_run(wide, to, V::size);
  } else {
    v.store(to);
  }
}

// Its first n lanes.
template <typename T>
void store_narrow(Vec<SumType<T>> v, T* to, int64_t n) {
  if constexpr (kSumsAreWide<T>) {
    T part[Vec<SumType<T>>::size];
    store_narrow(v, part);
    store_first(part, to, n);
  } else {
    v.store(to, n);
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
