#pragma once
// Runs of half types to and from float, in vectors: GCC converts Half one by one.

#include <cstdint>
#include <type_traits>

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <ATen/native/common/cpu/Vec.h>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace at::native {
inline namespace CPU_CAPABILITY {

inline void half_to_float(const c10::Half* from, float* to, int64_t n) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    _mm512_storeu_ps(
        to + i, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i))));
  }
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(to + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  }
#endif
  for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

inline void float_to_half(const float* from, c10::Half* to, int64_t n) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(to + i),
        _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < n; ++i) to[i] = c10::Half(from[i]);
}

// to[i] += from[i].
inline void add_half_to_float(const c10::Half* from, float* to, int64_t n) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    const __m512 x =
        _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
    _mm512_storeu_ps(to + i, _mm512_add_ps(_mm512_loadu_ps(to + i), x));
  }
#elif defined(__F16C__)
  for (; i + 8 <= n; i += 8) {
    const __m256 x = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    _mm256_storeu_ps(to + i, _mm256_add_ps(_mm256_loadu_ps(to + i), x));
  }
#endif
  for (; i < n; ++i) to[i] += static_cast<float>(from[i]);
}

// One vector of bfloat16, which is the upper half of a float. GCC converts so few one by one.
namespace bfloat16_vectors {
typedef uint16_t Stored __attribute__((vector_size(kVecBytes / 2), may_alias, aligned(2)));
typedef uint32_t Bits __attribute__((vector_size(kVecBytes)));

// GCC makes more instructions of __builtin_convertvector than are needed.
inline Bits widened(const Stored& stored) {
#if defined(__AVX512F__)
  return Bits(_mm512_cvtepu16_epi32(__m256i(stored)));
#elif defined(__AVX2__)
  return Bits(_mm256_cvtepu16_epi32(__m128i(stored)));
#else
  return __builtin_convertvector(stored, Bits);
#endif
}
// Of numbers below 2^16.
inline Stored narrowed(Bits bits) {
#if defined(__AVX512F__)
  return Stored(_mm512_cvtepi32_epi16(__m512i(bits)));
#elif defined(__AVX2__)
  const __m256i all = __m256i(bits);
  return Stored(_mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
#else
  return __builtin_convertvector(bits, Stored);
#endif
}

inline Vec<float> load(const c10::BFloat16* from) {
  return Vec<float>::V(widened(*reinterpret_cast<const Stored*>(from)) << 16);
}
// To the nearest, as BFloat16's constructor.
inline void store(Vec<float> v, c10::BFloat16* to) {
  const Bits bits = Bits(v.v), nan = Bits{} + 0x7fc0;
  const Bits rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  *reinterpret_cast<Stored*>(to) = narrowed(v.v == v.v ? rounded : nan);
}
}  // namespace bfloat16_vectors

// A half type to float.
template <typename T>
void widen(const T* from, float* to, int64_t n) {
  if constexpr (std::is_same_v<T, c10::Half>) {
    half_to_float(from, to, n);
  } else {
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + Vec<float>::size <= n; i += Vec<float>::size)
      bfloat16_vectors::load(from + i).store(to + i);
#endif
#pragma GCC ivdep
    for (; i < n; ++i) to[i] = static_cast<float>(from[i]);
  }
}

// Float to a half type.
template <typename T>
void narrow(const float* from, T* to, int64_t n) {
  if constexpr (std::is_same_v<T, c10::Half>) {
    float_to_half(from, to, n);
  } else {
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + Vec<float>::size <= n; i += Vec<float>::size)
      bfloat16_vectors::store(Vec<float>::load(from + i), to + i);
#endif
#pragma GCC ivdep
    for (; i < n; ++i) to[i] = static_cast<T>(from[i]);
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
