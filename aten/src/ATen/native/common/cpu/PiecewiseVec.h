#pragma once
// Polynomials over neighbouring intervals, for vectors of numbers that lie in different ones, and
// functions of doubles applied to other types.

#include <algorithm>
#include <utility>

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

// A vector of f(lane).
template <typename F, size_t... lane>
Doubles by_lane(const F& f, std::index_sequence<lane...>) {
  return Doubles::V{f(lane)...};
}

// By the last piece that begins at x or before: starts[k] is where piece k + 1 begins. Numbers
// before the first piece get its values, and NaN stays.
template <size_t N>
Doubles evaluate(const Piece* table, const double (&starts)[N], Doubles x) {
  Doubles::Mask number{};
  for (double start : starts) number -= x >= Doubles(start);
  const Piece* pieces[Doubles::size];
  int terms = 0;
  bool same = true;
  for (int64_t i = 0; i < Doubles::size; ++i) {
    pieces[i] = table + number[i];
    terms = std::max(terms, pieces[i]->terms);
    same &= number[i] == number[0];
  }
  if (same) return evaluate(*pieces[0], x);
  // Each lane has the coefficients of its piece; those beyond a piece's terms are 0. Evaluating all
  // pieces, and selecting, takes several times as long.
  auto of_lanes = [&](const auto& f) {
    return by_lane([&](size_t i) { return f(*pieces[i]); },
                   std::make_index_sequence<static_cast<size_t>(Doubles::size)>());
  };
  const Doubles middle = of_lanes([](const Piece& p) { return p.middle; }),
                inverse_half = of_lanes([](const Piece& p) { return p.inverse_half; });
  const Doubles u = (x - middle) * inverse_half;
  Doubles sum(0.0);
  for (int k = terms - 1; k >= 0; --k)
    sum = sum * u + of_lanes([k](const Piece& p) { return p.c[k]; });
  return sum;
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
