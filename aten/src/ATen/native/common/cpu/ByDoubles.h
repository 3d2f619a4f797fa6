#pragma once
// Functions of vectors of doubles, applied to vectors of other types.

#include <cstring>

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/Vec.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace at::native {
inline namespace CPU_CAPABILITY {

using Doubles = Vec<double>;

// f of Doubles on a vector of the type that is computed in.
template <typename F>
Doubles by_doubles(Doubles x, const F& f) {
  return f(x);
}

// The two halves of a vector of floats, as doubles, and back. GCC converts whole vectors in
// quarters.
struct Halves {
  Doubles low, high;

  Halves(Doubles low, Doubles high) : low(low), high(high) {}
#if defined(__AVX512F__)
  typedef float Half __attribute__((vector_size(32)));
  C10_ALWAYS_INLINE explicit Halves(Vec<float> x)
      : low(wide(__builtin_shufflevector(x.v, x.v, 0, 1, 2, 3, 4, 5, 6, 7))),
        high(wide(__builtin_shufflevector(x.v, x.v, 8, 9, 10, 11, 12, 13, 14, 15))) {}
  C10_ALWAYS_INLINE Vec<float> narrow() const {
    return Vec<float>::V(__builtin_shufflevector(narrow(low), narrow(high), 0, 1, 2, 3, 4, 5, 6, 7,
                                                 8, 9, 10, 11, 12, 13, 14, 15));
  }
  C10_ALWAYS_INLINE static Doubles wide(Half x) {
    return Doubles::V(__builtin_ia32_cvtps2pd512_mask(x, Doubles::V{}, 0xff, 4));
  }
  C10_ALWAYS_INLINE static Half narrow(Doubles x) {
    return Half(__builtin_ia32_cvtpd2ps512_mask(x.v, Half{}, 0xff, 4));
  }
#elif defined(__AVX2__)
  C10_ALWAYS_INLINE explicit Halves(Vec<float> x)
      : low(Doubles::V(_mm256_cvtps_pd(_mm256_castps256_ps128(__m256(x.v))))),
        high(Doubles::V(_mm256_cvtps_pd(_mm256_extractf128_ps(__m256(x.v), 1)))) {}
  C10_ALWAYS_INLINE Vec<float> narrow() const {
    return Vec<float>::V(
        _mm256_set_m128(_mm256_cvtpd_ps(__m256d(high.v)), _mm256_cvtpd_ps(__m256d(low.v))));
  }
#else
  explicit Halves(Vec<float> x) {
    for (int64_t i = 0; i < Doubles::size; ++i)
      low.v[i] = x.v[i], high.v[i] = x.v[i + Doubles::size];
  }
  Vec<float> narrow() const {
    Vec<float> x;
    for (int64_t i = 0; i < Doubles::size; ++i) {
      x.v[i] = static_cast<float>(low.v[i]);
      x.v[i + Doubles::size] = static_cast<float>(high.v[i]);
    }
    return x;
  }
#endif
};

// As many floats of memory as a vector has doubles.
C10_ALWAYS_INLINE Doubles load_doubles(const float* from) {
#if defined(__AVX512F__)
  Halves::Half x;
  std::memcpy(&x, from, sizeof x);
  return Halves::wide(x);
#elif defined(__AVX2__)
  return Doubles::V(_mm256_cvtps_pd(_mm_loadu_ps(from)));
#else
  Doubles x;
  for (int64_t i = 0; i < Doubles::size; ++i) x.v[i] = from[i];
  return x;
#endif
}

template <typename F>
C10_ALWAYS_INLINE Vec<float> by_doubles(Vec<float> x, const F& f) {
  const Halves halves(x);
  return Halves(f(halves.low), f(halves.high)).narrow();
}
template <typename F>
C10_ALWAYS_INLINE Doubles by_doubles(Doubles x, Doubles y, const F& f) {
  return f(x, y);
}
template <typename F>
C10_ALWAYS_INLINE Vec<float> by_doubles(Vec<float> x, Vec<float> y, const F& f) {
  const Halves a(x), b(y);
  return Halves(f(a.low, b.low), f(a.high, b.high)).narrow();
}

// An elementwise kernel that computes in double, in float32 and float64.
template <typename F>
void full_types_by_doubles(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [f](Vec<T> x) -> Vec<T> { return by_doubles(x, f); }, kGrainSize / 32);
  });
}
// In float16 and bfloat16, too.
template <typename F>
void all_types_by_doubles(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [f](Vec<T> x) -> Vec<T> { return by_doubles(x, f); }, kGrainSize / 32);
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
