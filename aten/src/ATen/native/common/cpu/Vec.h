#pragma once
// Vec<T>: a register of float or double, for functions from SLEEF.
//
//   Vec<float> y = where(x > 0, log1p(x), 0);
//
// Arithmetic uses GCC's vector types; most kernels do not need this class, since GCC vectorizes
// their loops. Loads and stores take a count for the end of a run, so that every element is
// computed by the same instructions.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#if defined(CPU_CAPABILITY_AVX512)
constexpr int kVecBytes = 64;
#define AT_SLEEF(name, accuracy) Sleef_##name##f16_##accuracy##avx512f
#define AT_SLEEF_D(name, accuracy) Sleef_##name##d8_##accuracy##avx512f
#elif defined(CPU_CAPABILITY_AVX2)
constexpr int kVecBytes = 32;
#define AT_SLEEF(name, accuracy) Sleef_##name##f8_##accuracy##avx2
#define AT_SLEEF_D(name, accuracy) Sleef_##name##d4_##accuracy##avx2
#else
constexpr int kVecBytes = 16;
#if defined(__aarch64__)
#define AT_SLEEF(name, accuracy) Sleef_##name##f4_##accuracy##advsimd
#define AT_SLEEF_D(name, accuracy) Sleef_##name##d2_##accuracy##advsimd
#else
#define AT_SLEEF(name, accuracy) Sleef_##name##f4_##accuracy##sse2
#define AT_SLEEF_D(name, accuracy) Sleef_##name##d2_##accuracy##sse2
#endif
#endif

template <typename T>
struct VecTypes;
template <>
struct VecTypes<float> {
  typedef float Values __attribute__((vector_size(kVecBytes), may_alias));
  typedef int32_t Mask __attribute__((vector_size(kVecBytes), may_alias));
  typedef float Unaligned __attribute__((vector_size(kVecBytes), may_alias, aligned(4)));
};
template <>
struct VecTypes<double> {
  typedef double Values __attribute__((vector_size(kVecBytes), may_alias));
  typedef int64_t Mask __attribute__((vector_size(kVecBytes), may_alias));
  typedef double Unaligned __attribute__((vector_size(kVecBytes), may_alias, aligned(8)));
};

#if defined(__AVX2__) && !defined(__AVX512F__)
// The first n of 8 lanes are set in the 32 bytes from element 8 - n on.
typedef float FloatVector __attribute__((vector_size(32)));
typedef double DoubleVector __attribute__((vector_size(32)));
alignas(64) constexpr int32_t kFirstLanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
#endif

// a < b ? a : b and a > b ? a : b by one instruction each: GCC takes two or three for these.
#if defined(__AVX512F__)
inline VecTypes<float>::Values smaller(VecTypes<float>::Values a, VecTypes<float>::Values b) {
  return __builtin_ia32_minps512_mask(a, b, a, static_cast<uint16_t>(-1), 4);
}
inline VecTypes<float>::Values larger(VecTypes<float>::Values a, VecTypes<float>::Values b) {
  return __builtin_ia32_maxps512_mask(a, b, a, static_cast<uint16_t>(-1), 4);
}
inline VecTypes<double>::Values smaller(VecTypes<double>::Values a, VecTypes<double>::Values b) {
  return __builtin_ia32_minpd512_mask(a, b, a, static_cast<uint8_t>(-1), 4);
}
inline VecTypes<double>::Values larger(VecTypes<double>::Values a, VecTypes<double>::Values b) {
  return __builtin_ia32_maxpd512_mask(a, b, a, static_cast<uint8_t>(-1), 4);
}
#elif defined(__AVX2__)
inline VecTypes<float>::Values smaller(VecTypes<float>::Values a, VecTypes<float>::Values b) {
  return __builtin_ia32_minps256(a, b);
}
inline VecTypes<float>::Values larger(VecTypes<float>::Values a, VecTypes<float>::Values b) {
  return __builtin_ia32_maxps256(a, b);
}
inline VecTypes<double>::Values smaller(VecTypes<double>::Values a, VecTypes<double>::Values b) {
  return __builtin_ia32_minpd256(a, b);
}
inline VecTypes<double>::Values larger(VecTypes<double>::Values a, VecTypes<double>::Values b) {
  return __builtin_ia32_maxpd256(a, b);
}
#else
template <typename V>
V smaller(V a, V b) {
  return a < b ? a : b;
}
template <typename V>
V larger(V a, V b) {
  return a > b ? a : b;
}
#endif

template <typename T>
struct Vec {
  using value_type = T;
  using V = typename VecTypes<T>::Values;
  using Mask = typename VecTypes<T>::Mask;  // -1 where true, 0 where false
  static constexpr int64_t size = kVecBytes / sizeof(T);
  V v;

  Vec() = default;
  Vec(V x) : v(x) {}
  Vec(T x) : v(x - V{}) {}

  static Vec load(const T* p) {
    return V(*reinterpret_cast<const typename VecTypes<T>::Unaligned*>(p));
  }
  void store(T* p) const { *reinterpret_cast<typename VecTypes<T>::Unaligned*>(p) = v; }
  // The first n < size elements; the others read as 0 and are not written.
  static Vec load(const T* p, int64_t n) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      return V(__builtin_ia32_loadups512_mask(p, V{}, static_cast<uint16_t>((1u << n) - 1)));
    } else {
      return V(__builtin_ia32_loadupd512_mask(p, V{}, static_cast<uint8_t>((1u << n) - 1)));
    }
#elif defined(__AVX2__)
    typedef int32_t Words __attribute__((vector_size(32), may_alias, aligned(4)));
    typedef long long Doubles __attribute__((vector_size(32)));
    const Words mask = *reinterpret_cast<const Words*>(kFirstLanes + 8 - n * (sizeof(T) / 4));
    if constexpr (sizeof(T) == 4) {
      return V(__builtin_ia32_maskloadps256(reinterpret_cast<const FloatVector*>(p), mask));
    } else {
      return V(
          __builtin_ia32_maskloadpd256(reinterpret_cast<const DoubleVector*>(p), Doubles(mask)));
    }
#else
    V x{};
    for (int64_t i = 0; i < n; ++i) x[i] = p[i];
    return x;
#endif
  }
  void store(T* p, int64_t n) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      __builtin_ia32_storeups512_mask(p, v, static_cast<uint16_t>((1u << n) - 1));
    } else {
      __builtin_ia32_storeupd512_mask(p, v, static_cast<uint8_t>((1u << n) - 1));
    }
#elif defined(__AVX2__)
    store_in_pieces<size>(v, p, n);
#else
    for (int64_t i = 0; i < n; ++i) p[i] = v[i];
#endif
  }

#if defined(__AVX2__) && !defined(__AVX512F__)
  // The register, halves, quarters and so on of it: a store with a mask takes longer on some
  // processors.
  template <int piece>
  static void store_in_pieces(V rest, T* p, int64_t n) {
    if constexpr (piece > 0) {
      if (n & piece) {
        __builtin_memcpy(p, &rest, piece * sizeof(T));
        Mask from;
        for (int k = 0; k < size; ++k) from[k] = (k + piece) % size;
        rest = __builtin_shuffle(rest, from);
        p += piece;
      }
      store_in_pieces<piece / 2>(rest, p, n);
    }
  }
#endif

  friend Vec operator+(Vec a, Vec b) { return a.v + b.v; }
  friend Vec operator-(Vec a, Vec b) { return a.v - b.v; }
  friend Vec operator*(Vec a, Vec b) { return a.v * b.v; }
  friend Vec operator/(Vec a, Vec b) { return a.v / b.v; }
  friend Vec operator-(Vec a) { return -a.v; }
  Vec& operator+=(Vec b) {
    v += b.v;
    return *this;
  }
  Vec& operator*=(Vec b) {
    v *= b.v;
    return *this;
  }
  friend Mask operator<(Vec a, Vec b) { return a.v < b.v; }
  friend Mask operator<=(Vec a, Vec b) { return a.v <= b.v; }
  friend Mask operator>(Vec a, Vec b) { return a.v > b.v; }
  friend Mask operator>=(Vec a, Vec b) { return a.v >= b.v; }
  friend Mask operator==(Vec a, Vec b) { return a.v == b.v; }
  friend Mask operator!=(Vec a, Vec b) { return a.v != b.v; }
  // a where the mask is set, else b.
  friend Vec where(Mask m, Vec a, Vec b) { return m ? a.v : b.v; }
  // The smaller, the larger; b where either is NaN.
  friend Vec min(Vec a, Vec b) { return smaller(a.v, b.v); }
  friend Vec max(Vec a, Vec b) { return larger(a.v, b.v); }
  friend Vec abs(Vec a) { return V(Mask(a.v) & ~Mask(Vec(T(-0.0)).v)); }
  friend Vec copysign(Vec a, Vec b) {
    return V(Mask(abs(a).v) | (Mask(b.v) & Mask(Vec(T(-0.0)).v)));
  }
};

// The first n lanes; the others become `fill`.
template <typename T>
C10_ALWAYS_INLINE Vec<T> first_lanes(Vec<T> v, int64_t n, T fill) {
  typename Vec<T>::Mask lane, count;
  for (int k = 0; k < Vec<T>::size; ++k) {
    lane[k] = k;
    count[k] = static_cast<std::decay_t<decltype(count[0])>>(n);
  }
  return where(lane < count, v, Vec<T>(fill));
}
// The lanes joined by f, a function of vectors that does not depend on the order: halves first, so
// that the steps are few.
template <typename T, typename F, int kDistance = Vec<T>::size / 2>
C10_ALWAYS_INLINE T fold_lanes(Vec<T> v, const F& f) {
  if constexpr (kDistance == 0) {
    return v.v[0];
  } else {
    typename Vec<T>::Mask partner;
    for (int k = 0; k < Vec<T>::size; ++k) partner[k] = k ^ kDistance;
    return fold_lanes<T, F, kDistance / 2>(f(v, Vec<T>(__builtin_shuffle(v.v, partner))), f);
  }
}
template <typename T>
T sum_lanes(Vec<T> v) {
  return fold_lanes(v, [](Vec<T> a, Vec<T> b) { return a + b; });
}
// The sums of the lanes of four vectors, in fewer steps than one after the other takes: first
// within 16 bytes, where one shuffle takes lanes of two vectors.
template <typename T>
C10_ALWAYS_INLINE void sum_lanes_of_four(const Vec<T> (&v)[4], T* sums) {
  constexpr int W = Vec<T>::size, kNear = 16 / sizeof(T);
  using V = decltype(v[0].v);
  typename Vec<T>::Mask even, odd;
  // The even plus the odd units of lanes: in each block those of a, then those of b.
  const auto add = [&](V a, V b, int unit, int block) {
    for (int k = 0; k < W; ++k) {
      const int half = block / 2, place = k % half;
      const int from = k / block * block + place / unit * 2 * unit + place % unit;
      even[k] = from + (k % block < half ? 0 : W);
      odd[k] = even[k] + unit;
    }
    return __builtin_shuffle(a, b, even) + __builtin_shuffle(a, b, odd);
  };
  const V first = add(v[0].v, v[1].v, 1, kNear), second = add(v[2].v, v[3].v, 1, kNear);
  alignas(64) T lanes[W < 4 ? 4 : W];
  if constexpr (W >= 4) {
    V all = add(first, second, 4 / kNear, 4);
    for (int distance = W / 2; distance >= 4; distance /= 2) {
      for (int k = 0; k < W; ++k) even[k] = k ^ distance;
      all += __builtin_shuffle(all, even);
    }
    std::memcpy(lanes, &all, sizeof all);
  } else {
    std::memcpy(lanes, &first, sizeof first);
    std::memcpy(lanes + W, &second, sizeof second);
  }
  std::memcpy(sums, lanes, 4 * sizeof(T));
}
// NaN if one is NaN.
template <typename T>
T max_lanes(Vec<T> v) {
  return fold_lanes(v, [](Vec<T> a, Vec<T> b) { return where((a > b) | (a != a), a, b); });
}

// Whether any lane is set. GCC's own code for it is several shuffles.
inline bool any(VecTypes<float>::Mask m) {
#if defined(__AVX512F__)
  typedef int I __attribute__((vector_size(64)));
  return __builtin_ia32_ptestmd512(I(m), I(m), static_cast<uint16_t>(-1)) != 0;
#elif defined(__AVX2__)
  return __builtin_ia32_movmskps256(FloatVector(m)) != 0;
#else
  int32_t found = 0;
  for (int64_t i = 0; i < Vec<float>::size; ++i) found |= m[i];
  return found != 0;
#endif
}
inline bool any(VecTypes<double>::Mask m) {
#if defined(__AVX512F__)
  typedef long long I __attribute__((vector_size(64)));
  return __builtin_ia32_ptestmq512(I(m), I(m), static_cast<uint8_t>(-1)) != 0;
#elif defined(__AVX2__)
  return __builtin_ia32_movmskpd256(DoubleVector(m)) != 0;
#else
  int64_t found = 0;
  for (int64_t i = 0; i < Vec<double>::size; ++i) found |= m[i];
  return found != 0;
#endif
}

// Whether a > b in all lanes. GCC makes a vector of a mask before it looks for set lanes.
inline bool all_greater(Vec<float> a, Vec<float> b) {
#if defined(__AVX512F__)
  return __builtin_ia32_cmpps512_mask(a.v, b.v, 0x1e, static_cast<uint16_t>(-1), 4) == 0xffff;
#elif defined(__AVX2__)
  return __builtin_ia32_movmskps256(FloatVector(a > b)) == 0xff;
#else
  return !any(!(a > b));
#endif
}
inline bool all_greater(Vec<double> a, Vec<double> b) {
#if defined(__AVX512F__)
  return __builtin_ia32_cmppd512_mask(a.v, b.v, 0x1e, static_cast<uint8_t>(-1), 4) == 0xff;
#elif defined(__AVX2__)
  return __builtin_ia32_movmskpd256(DoubleVector(a > b)) == 0xf;
#else
  return !any(!(a > b));
#endif
}

// name(Vec) for both types, by one of SLEEF's versions: usually the more accurate one.
#define AT_VEC_FUNCTION_1(name, accuracy)                                                   \
  extern "C" VecTypes<float>::Values AT_SLEEF(name, accuracy)(VecTypes<float>::Values);     \
  extern "C" VecTypes<double>::Values AT_SLEEF_D(name, accuracy)(VecTypes<double>::Values); \
  inline Vec<float> name(Vec<float> x) { return AT_SLEEF(name, accuracy)(x.v); }            \
  inline Vec<double> name(Vec<double> x) { return AT_SLEEF_D(name, accuracy)(x.v); }
#define AT_VEC_FUNCTION_2(name, accuracy)                                                   \
  extern "C" VecTypes<float>::Values AT_SLEEF(name, accuracy)(VecTypes<float>::Values,      \
                                                              VecTypes<float>::Values);     \
  extern "C" VecTypes<double>::Values AT_SLEEF_D(name, accuracy)(VecTypes<double>::Values,  \
                                                                 VecTypes<double>::Values); \
  inline Vec<float> name(Vec<float> x, Vec<float> y) {                                      \
    return AT_SLEEF(name, accuracy)(x.v, y.v);                                              \
  }                                                                                         \
  inline Vec<double> name(Vec<double> x, Vec<double> y) {                                   \
    return AT_SLEEF_D(name, accuracy)(x.v, y.v);                                            \
  }

AT_VEC_FUNCTION_1(exp2, u10)
AT_VEC_FUNCTION_1(atanh, u10)
AT_VEC_FUNCTION_1(erf, u10)
AT_VEC_FUNCTION_1(erfc, u15)
AT_VEC_FUNCTION_1(lgamma, u10)
AT_VEC_FUNCTION_2(atan2, u10)
AT_VEC_FUNCTION_2(hypot, u05)
AT_VEC_FUNCTION_2(fmod, )
AT_VEC_FUNCTION_1(floor, )
AT_VEC_FUNCTION_1(sqrt, )
AT_VEC_FUNCTION_1(trunc, )

namespace sleef {  // VecMath.h has those to use: faster, or complete where intermediate results
                   // overflow
AT_VEC_FUNCTION_1(log, u10)
AT_VEC_FUNCTION_1(log1p, u10)
AT_VEC_FUNCTION_1(log2, u10)
AT_VEC_FUNCTION_1(log10, u10)
AT_VEC_FUNCTION_1(sinh, u10)
AT_VEC_FUNCTION_1(cosh, u10)
AT_VEC_FUNCTION_1(asinh, u10)
AT_VEC_FUNCTION_1(acosh, u10)
AT_VEC_FUNCTION_1(sin, u10)
AT_VEC_FUNCTION_1(cos, u10)
AT_VEC_FUNCTION_1(tan, u10)
AT_VEC_FUNCTION_1(asin, u10)
AT_VEC_FUNCTION_1(acos, u10)
AT_VEC_FUNCTION_1(atan, u10)
AT_VEC_FUNCTION_2(pow, u10)
}  // namespace sleef

namespace for_halves {  // errors of up to 3.5 units of a float
AT_VEC_FUNCTION_1(sin, u35)
AT_VEC_FUNCTION_1(cos, u35)
AT_VEC_FUNCTION_1(tan, u35)
}  // namespace for_halves

#undef AT_VEC_FUNCTION_1
#undef AT_VEC_FUNCTION_2
#undef AT_SLEEF
#undef AT_SLEEF_D

// a * b + c, rounded once, also where the compiler does not optimize: for formulas that need it.
// Elsewhere it makes one instruction of the two by itself.
C10_ALWAYS_INLINE Vec<float> fused_multiply_add(Vec<float> a, Vec<float> b, Vec<float> c) {
#if defined(__AVX512F__)
  return Vec<float>::V(
      __builtin_ia32_vfmaddps512_mask(a.v, b.v, c.v, static_cast<uint16_t>(-1), 4));
#elif defined(__FMA__)
  return Vec<float>::V(__builtin_ia32_vfmaddps256(a.v, b.v, c.v));
#else
  Vec<float> sum;
  for (int64_t i = 0; i < Vec<float>::size; ++i) sum.v[i] = __builtin_fmaf(a.v[i], b.v[i], c.v[i]);
  return sum;
#endif
}
C10_ALWAYS_INLINE Vec<double> fused_multiply_add(Vec<double> a, Vec<double> b, Vec<double> c) {
#if defined(__AVX512F__)
  return Vec<double>::V(
      __builtin_ia32_vfmaddpd512_mask(a.v, b.v, c.v, static_cast<uint8_t>(-1), 4));
#elif defined(__FMA__)
  return Vec<double>::V(__builtin_ia32_vfmaddpd256(a.v, b.v, c.v));
#else
  Vec<double> sum;
  for (int64_t i = 0; i < Vec<double>::size; ++i) sum.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
  return sum;
#endif
}

// a * b = product + error, except for underflow.
template <typename T>
struct Product {
  Vec<T> product, error;
};
inline Product<float> exact_product(Vec<float> a, Vec<float> b) {
  const Vec<float> p = a * b;
#if defined(__FMA__) || defined(__AVX512F__)
  return {p, fused_multiply_add(a, b, -p)};
#else
  // 24-bit numbers: their products fit into a double.
  Vec<float>::V error{};
  for (int64_t i = 0; i < Vec<float>::size; ++i)
    error[i] = static_cast<float>(static_cast<double>(a.v[i]) * b.v[i] - p.v[i]);
  return {p, error};
#endif
}
inline Product<double> exact_product(Vec<double> a, Vec<double> b) {
  const Vec<double> p = a * b;
  return {p, fused_multiply_add(a, b, -p)};
}

// sqrt(x), inlined: a call to SLEEF spills the registers of a function that needs many.
C10_ALWAYS_INLINE Vec<double> inline_sqrt(Vec<double> x) {
#if defined(__AVX512F__)
  return Vec<double>::V(
      __builtin_ia32_sqrtpd512_mask(x.v, Vec<double>::V{}, static_cast<uint8_t>(-1), 4));
#elif defined(__AVX2__)
  return Vec<double>::V(__builtin_ia32_sqrtpd256(x.v));
#else
  return sqrt(x);
#endif
}

C10_ALWAYS_INLINE Vec<float> inline_sqrt(Vec<float> x) {
#if defined(__AVX512F__)
  return Vec<float>::V(
      __builtin_ia32_sqrtps512_mask(x.v, Vec<float>::V{}, static_cast<uint16_t>(-1), 4));
#elif defined(__AVX2__)
  return Vec<float>::V(__builtin_ia32_sqrtps256(x.v));
#else
  return sqrt(x);
#endif
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
