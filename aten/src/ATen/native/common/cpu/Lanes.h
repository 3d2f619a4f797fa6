#pragma once
// Sums of products, and multiples, of real and complex numbers in registers.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <ATen/native/common/RealOf.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Numbers that lie side by side, as the compiler's vectors; a complex number takes two lanes.
template <typename T>
struct Lane {
  using R = Real<T>;
  static constexpr int kLanes = kVecBytes / sizeof(R);
  static constexpr int64_t kParts = c10::is_complex_v<T> ? 2 : 1, kCount = kLanes / kParts;
  typedef R Vector __attribute__((vector_size(kVecBytes)));
  typedef std::conditional_t<sizeof(R) == 4, int32_t, int64_t> Index
      __attribute__((vector_size(kVecBytes)));

  static Vector load(const T* p) {
    Vector v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static Vector load(const T* p, int64_t n) {
    return Vec<R>::load(reinterpret_cast<const R*>(p), n * kParts).v;
  }
  static void store(Vector v, T* p) { std::memcpy(static_cast<void*>(p), &v, sizeof v); }
  static void store(Vector v, T* p, int64_t n) {
    Vec<R>(v).store(reinterpret_cast<R*>(p), n * kParts);
  }
  // Real and imaginary parts exchanged.
  static Vector swapped(Vector v) {
    Index order;
    for (int i = 0; i < kLanes; ++i) order[i] = i ^ 1;
    return __builtin_shuffle(v, order);
  }
};

// The sums of conj(x[i]) * y[i].
template <typename T>
struct LaneSum {
  using L = Lane<T>;
  typename L::Vector same{}, crossed{};
  void add(typename L::Vector x, typename L::Vector y) {
    same += x * y;
    if constexpr (c10::is_complex_v<T>) crossed += x * L::swapped(y);
  }
  LaneSum& operator+=(const LaneSum& other) {
    same += other.same;
    crossed += other.crossed;
    return *this;
  }
  // `conj`: with the conjugate of x; else of x[i] * y[i].
  T value(bool conj = true) const {
    Real<T> real[2] = {}, imaginary[2] = {};
    for (int i = 0; i < L::kLanes; ++i) {
      real[i % 2] += same[i];
      if constexpr (c10::is_complex_v<T>) imaginary[i % 2] += crossed[i];
    }
    if constexpr (!c10::is_complex_v<T>) return real[0] + real[1];
    else if (conj) return T(real[0] + real[1], imaginary[0] - imaginary[1]);
    else return T(real[0] - real[1], imaginary[0] + imaginary[1]);
  }
};

// A factor of vectors of numbers.
template <typename T>
struct LaneFactor {
  using L = Lane<T>;
  typename L::Vector real{}, imaginary{};
  LaneFactor() {}
  explicit LaneFactor(T factor) {
    if constexpr (!c10::is_complex_v<T>) {
      real += factor;
    } else {
      real += factor.real();
      for (int i = 0; i < L::kLanes; ++i) imaginary[i] = i % 2 ? factor.imag() : -factor.imag();
    }
  }
  typename L::Vector times(typename L::Vector x) const {
    if constexpr (c10::is_complex_v<T>) return real * x + imaginary * L::swapped(x);
    else return real * x;
  }
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
