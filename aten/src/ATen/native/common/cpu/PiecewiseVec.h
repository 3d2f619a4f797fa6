#pragma once
// Polynomials over at most 16 neighbouring intervals, for vectors: each lane has the coefficients
// of its interval.
//
//   const Doubles::Mask piece = piece_number(x, 1.0);  // [0, 1), [1, 2), ...
//   const Doubles y = evaluate<kJ0>(piece, x);         // kJ0 is an array of Piece

#include <iterator>

#include <ATen/native/common/Piecewise.h>
#include <ATen/native/common/cpu/ByDoubles.h>
#include <ATen/native/common/cpu/ChosenRows.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The nearest integer to x, for |x| < 2^51, or 2^22 in float, as a number and in the low bits of
// `bits`.
template <typename T>
struct NearestTo {
  Vec<T> value;
  typename Vec<T>::Mask bits;
  C10_ALWAYS_INLINE explicit NearestTo(Vec<T> x) {
    constexpr T kRoom = sizeof(T) == 8 ? T(6755399441055744.0) : T(12582912.0);  // 1.5 * 2^52, 2^23
    const Vec<T> sum = x + kRoom;
    value = sum - kRoom;
    bits = typename Vec<T>::Mask(sum.v);
  }
};
using Nearest = NearestTo<double>;

// floor(x * per_unit - start), from 0 to `last`.
template <typename T>
C10_ALWAYS_INLINE typename Vec<T>::Mask piece_number(Vec<T> x, double per_unit, double start = 0,
                                                     double last = 7) {
  const Vec<T> position = x * static_cast<T>(per_unit) - static_cast<T>(start + 0.5);
  const Vec<T> above(T(0)), below(static_cast<T>(last));
  return NearestTo<T>(max(above, min(below, position))).bits & 15;
}
// The last piece that begins at x or before; 0 if none does.
template <typename T, size_t N>
C10_ALWAYS_INLINE typename Vec<T>::Mask piece_number(Vec<T> x, const T (&starts)[N]) {
  typename Vec<T>::Mask number{};
  for (T start : starts) number -= x >= Vec<T>(start);
  return number;
}

template <size_t N>
constexpr int max_terms(const Piece (&table)[N]) {
  int found = 0;
  for (const Piece& piece : table) found = piece.terms > found ? piece.terms : found;
  return found;
}
// A row for each piece: its middle, the inverse of its half width, and its coefficients. Numbers of
// no piece get the last one.
template <const auto& table>
constexpr auto rows_of_pieces() {
  static_assert(std::size(table) <= 16);
  RowTable<2 + max_terms(table), std::size(table) <= 8 ? 8 : 16> found{};
  for (size_t i = 0; i < found.rows; ++i) {
    const Piece& piece = table[i < std::size(table) ? i : std::size(table) - 1];
    const int row = static_cast<int>(i);
    found.at(row, 0) = piece.middle;
    found.at(row, 1) = piece.inverse_half;
    for (int k = 0; k < piece.terms; ++k) found.at(row, 2 + k) = piece.c[k];
  }
  return found;
}
template <const auto& table>
constexpr auto kRowsOfPieces = rows_of_pieces<table>();

// How many terms a result of type T needs: for float the others are below 1e-9 of the value.
template <const auto& table, typename T>
constexpr int terms_for() {
  int needed = 1;
  for (const Piece& piece : table) {
    const double first = piece.c[0] < 0 ? -piece.c[0] : piece.c[0];
    double rest = 0;
    int terms = piece.terms;
    for (; terms > 1; --terms) {
      const double c = piece.c[terms - 1];
      rest += c < 0 ? -c : c;
      if (sizeof(T) == 8 || rest > 1e-9 * first) break;
    }
    needed = terms > needed ? terms : needed;
  }
  return needed;
}

// The polynomial in u whose coefficients are numbers 2 to kLast of rows. Pairs of terms do not wait
// for each other. The largest two are added one by one, which keeps the error of the result below
// that of a plain sum.
template <int kLast, typename V, typename Rows>
C10_ALWAYS_INLINE V sum_of_terms(const Rows& rows, V u) {
  const V square = u * u;
  constexpr int kTop = kLast / 2 * 2;
  V sum = kLast % 2 ? rows[kTop + 1] * u + rows[kTop] : rows[kTop];
  if constexpr (kTop == 2) return sum;
#pragma GCC unroll 16
  for (int k = kTop - 2; k >= 4; k -= 2) sum = sum * square + (rows[k + 1] * u + rows[k]);
  return (sum * u + rows[3]) * u + rows[2];
}
// Each lane by the piece of that number, for a result of type T.
template <const auto& table, typename T = double>
C10_ALWAYS_INLINE Doubles evaluate(Doubles::Mask piece, Doubles x) {
  const ChosenRows<kRowsOfPieces<table>> rows(piece);
  return sum_of_terms<terms_for<table, T>() + 1>(rows, (x - rows[0]) * rows[1]);
}
// In float, by a table of eight pieces.
template <const auto& table>
C10_ALWAYS_INLINE Vec<float> evaluate(Vec<float>::Mask piece, Vec<float> x) {
  const ChosenRows<kRowsOfPieces<table>, float> rows(piece);
  return sum_of_terms<max_terms(table) + 1>(rows, (x - rows[0]) * rows[1]);
}
// All lanes by a table's only piece.
template <const auto& table>
C10_ALWAYS_INLINE Doubles evaluate(Doubles x) {
  static_assert(std::size(table) == 1);
  constexpr auto& piece = table[0];
  const Doubles u = (x - piece.middle) * piece.inverse_half;
  Doubles sum = piece.c[piece.terms - 1];
#pragma GCC unroll 32
  for (int k = piece.terms - 2; k >= 0; --k) sum = sum * u + piece.c[k];
  return sum;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
