#pragma once
// Polynomials over neighbouring intervals, for vectors of numbers that lie in different ones, and
// functions of doubles applied to other types.

#include <ATen/native/common/Piecewise.h>
#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

using Doubles = Vec<double>;

inline Doubles evaluate(const Piece& piece, Doubles x) {
  const Doubles u = (x - piece.middle) * piece.inverse_half;
  Doubles sum = piece.c[piece.terms - 1];
  for (int k = piece.terms - 2; k >= 0; --k) sum = sum * u + piece.c[k];
  return sum;
}

// By the last piece that begins at x or before: starts[k] is where piece k + 1 begins. Pieces that
// no lane needs are left out; numbers before the first piece get its values, and NaN stays.
template <size_t N>
Doubles evaluate(const Piece* table, const double (&starts)[N], Doubles x) {
  Doubles value = evaluate(table[0], x);
  for (size_t k = 0; k < N; ++k) {
    const auto here = x >= Doubles(starts[k]);
    if (any(here)) value = where(here, evaluate(table[k + 1], x), value);
  }
  return value;
}

// f of Doubles on a vector of the type that is computed in.
template <typename F>
Doubles by_doubles(Doubles x, const F& f) {
  return f(x);
}
template <typename F>
Vec<float> by_doubles(Vec<float> x, const F& f) {
  constexpr int64_t W = Vec<float>::size, kHalf = Doubles::size;
  alignas(64) double wide[W];
  alignas(64) float narrow[W];
  x.store(narrow);
  for (int64_t i = 0; i < W; ++i) wide[i] = narrow[i];
  for (int64_t i = 0; i < W; i += kHalf) f(Doubles::load(wide + i)).store(wide + i);
  for (int64_t i = 0; i < W; ++i) narrow[i] = static_cast<float>(wide[i]);
  return Vec<float>::load(narrow);
}

template <typename F>
Vec<float> by_doubles(Vec<float> x, Vec<float> y, const F& f) {
  constexpr int64_t W = Vec<float>::size, kHalf = Doubles::size;
  alignas(64) double wide[2][W];
  alignas(64) float narrow[2][W];
  x.store(narrow[0]);
  y.store(narrow[1]);
  for (int64_t i = 0; i < W; ++i) wide[0][i] = narrow[0][i], wide[1][i] = narrow[1][i];
  for (int64_t i = 0; i < W; i += kHalf)
    f(Doubles::load(wide[0] + i), Doubles::load(wide[1] + i)).store(wide[0] + i);
  for (int64_t i = 0; i < W; ++i) narrow[0][i] = static_cast<float>(wide[0][i]);
  return Vec<float>::load(narrow[0]);
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
