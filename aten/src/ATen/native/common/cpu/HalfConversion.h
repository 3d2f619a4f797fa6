#pragma once
// Runs of half types to and from float, in vectors: GCC converts Half one by one.

#include <cstdint>
#include <type_traits>

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

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

// A half type to float.
template <typename T>
void widen(const T* from, float* to, int64_t n) {
  if constexpr (std::is_same_v<T, c10::Half>) return half_to_float(from, to, n);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

// Float to a half type.
template <typename T>
void narrow(const float* from, T* to, int64_t n) {
  if constexpr (std::is_same_v<T, c10::Half>) return float_to_half(from, to, n);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(from[i]);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
