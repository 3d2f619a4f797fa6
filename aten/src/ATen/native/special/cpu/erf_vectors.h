#pragma once
// The error function, of vectors. VecMath.h has the polynomials that others share.

#include <iterator>

#include <ATen/native/common/cpu/PiecewiseVec.h>
#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

#include <ATen/native/special/cpu/erf_coefficients.h>

// By pieces: the first one up to 1, the others from there on. Beyond `end` results round to 1.
template <const auto& table, typename T>
C10_ALWAYS_INLINE Vec<T> erf_by_pieces(Vec<T> x, double pieces_per_unit, T end) {
  constexpr double kLast = std::size(table) - 1;
  const Vec<T> size = abs(x), one(T(1));
  const auto piece = piece_number(size, pieces_per_unit, pieces_per_unit - 1, kLast);
  const auto near = piece == typename Vec<T>::Mask{};
  const Vec<T> value = evaluate<table>(piece, where(near, x * x, size));
  const Vec<T> sum = value * where(near, x, copysign(one, x)) + where(near, x, Vec<T>(T(0)));
  return where(size >= Vec<T>(end), copysign(one, x), sum);
}
inline Vec<float> erf_of(Vec<float> x) { return erf_by_pieces<kErfFloat>(x, 7 / 3.0, 3.92f); }
inline Doubles erf_of(Doubles x) { return erf_by_pieces<kErf>(x, 2.2, 5.93); }

// For results in half types.
inline Vec<float> erf_for_half(Vec<float> x) {
  const Vec<float> near = max(Vec<float>(-3.5f), min(Vec<float>(3.5f), x));
  const Vec<float> u = near * near * (2 / 12.25f) - 1.0f;
  Vec<float> sum(kErfForHalf[0]);
  for (size_t k = 1; k < std::size(kErfForHalf); ++k) sum = sum * u + kErfForHalf[k];
  return near * sum;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
