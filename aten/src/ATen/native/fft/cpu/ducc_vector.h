// No #pragma once: part of ducc.h.
//
// The vectors that DUCC computes with, on the compiler's vector extension. DUCC's own header for
// them, whose place this takes, brings the whole of <experimental/simd>.

#define DUCC0_SIMD_H

#include <cstddef>

namespace ducc0 {
namespace detail_simd {

#if defined(__AVX512F__)
constexpr size_t kVectorBytes = 64;
#elif defined(__AVX__)
constexpr size_t kVectorBytes = 32;
#else
constexpr size_t kVectorBytes = 16;
#endif

template <typename T, size_t L>
struct VectorOf {
  typedef T type __attribute__((vector_size(L * sizeof(T))));
};

template <typename T, size_t L>
class Vector {
  using Values = typename VectorOf<T, L>::type;

 public:
  using value_type = T;
  static constexpr size_t size() { return L; }

  Vector() = default;
  Vector(T value) : values_(value - Values{}) {}
  Vector(Values values) : values_(values) {}

  T operator[](size_t i) const { return values_[i]; }
  T& operator[](size_t i) { return values_[i]; }

  Vector operator-() const { return -values_; }
  Vector& operator+=(Vector other) { return *this = *this + other; }
  Vector& operator-=(Vector other) { return *this = *this - other; }
  Vector& operator*=(Vector other) { return *this = *this * other; }

  friend Vector operator+(Vector a, Vector b) { return a.values_ + b.values_; }
  friend Vector operator-(Vector a, Vector b) { return a.values_ - b.values_; }
  friend Vector operator*(Vector a, Vector b) { return a.values_ * b.values_; }

 private:
  Values values_;
};

template <typename T, int L>
struct simd_select {
  using type = Vector<T, L>;
};

template <typename T>
using native_simd = Vector<T, kVectorBytes / sizeof(T)>;

// DUCC compiles each pass for whole vectors and for their halves and quarters. Two numbers are a
// vector of their own only where there are no wider ones; nothing here asks for a part of that
// length. (Four floats stay: DUCC takes one long row in four.)
template <typename T, size_t L>
constexpr bool simd_exists =
    (L > 2 || (L == 2 && sizeof(T) * L == kVectorBytes)) && L * sizeof(T) <= kVectorBytes;

template <typename T>
constexpr bool vectorizable = true;

}  // namespace detail_simd

using detail_simd::native_simd;
using detail_simd::simd_exists;
using detail_simd::simd_select;
using detail_simd::vectorizable;

}  // namespace ducc0
