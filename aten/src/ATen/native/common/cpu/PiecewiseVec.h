#pragma once
// Polynomials over at most eight neighbouring intervals, for vectors: the coefficients of one power
// stand side by side, and each lane picks that of its interval with one instruction.
//
//   const Doubles::Mask piece = piece_number(x, 1.0);  // [0, 1), [1, 2), ...
//   const Doubles y = evaluate<kJ0>(piece, x);         // kJ0 is an array of Piece

#include <iterator>
#include <utility>

#include <ATen/native/common/Piecewise.h>
#include <ATen/native/common/cpu/ByDoubles.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// A vector of f(lane).
template <typename F, size_t... lane>
Doubles by_lane(const F& f, std::index_sequence<lane...>) {
  return Doubles::V{f(lane)...};
}

#if defined(__AVX2__) && !defined(__AVX512F__)
// Shuffles, since a gather takes several times as long on many processors.
// numbers[k & 3] for each lane.
C10_ALWAYS_INLINE __m256d pick_of_4(const double* numbers, Doubles::Mask k) {
  typedef int32_t Words __attribute__((vector_size(32)));
  // The numbers of a double's two words, of which only the low three bits count.
  const __m256i words = _mm256_shuffle_epi32(__m256i(k << 1), 0xA0);
  const __m256i index = words | __m256i(Words{0, 1, 0, 1, 0, 1, 0, 1});
  return __m256d(_mm256_permutevar8x32_epi32(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers)), index));
}
// One of the two where bit number `bit` of k is set, else the other.
template <int bit>
C10_ALWAYS_INLINE __m256d by_bit(Doubles::Mask k, __m256d set, __m256d other) {
  return _mm256_blendv_pd(other, set, __m256d(k << (63 - bit)));
}
#endif

// numbers[k & 7] for each lane.
C10_ALWAYS_INLINE Doubles pick(const double* eight, Doubles::Mask k) {
#if defined(__AVX512F__)
  return Doubles::V(__builtin_shuffle(Doubles::V(Doubles::load(eight).v), k));
#elif defined(__AVX2__)
  return Doubles::V(by_bit<2>(k, pick_of_4(eight + 4, k), pick_of_4(eight, k)));
#else
  return by_lane([&](size_t i) { return eight[k[i] & 7]; },
                 std::make_index_sequence<static_cast<size_t>(Doubles::size)>());
#endif
}

// The nearest integer to x, for |x| < 2^51, as a double and in the low bits of `bits`.
struct Nearest {
  Doubles value;
  Doubles::Mask bits;
  C10_ALWAYS_INLINE explicit Nearest(Doubles x) {
    const Doubles room(6755399441055744.0), sum = x + room;  // 1.5 * 2^52
    value = sum - room;
    bits = Doubles::Mask(sum.v);
  }
};

// floor(x * per_unit), from 0 to 7.
C10_ALWAYS_INLINE Doubles::Mask piece_number(Doubles x, double per_unit) {
  const Doubles position = x * per_unit - 0.5;
  return Nearest(max(Doubles(0.0), min(Doubles(7.0), position))).bits & 7;
}
// The last piece that begins at x or before; 0 if none does.
template <size_t N>
C10_ALWAYS_INLINE Doubles::Mask piece_number(Doubles x, const double (&starts)[N]) {
  Doubles::Mask number{};
  for (double start : starts) number -= x >= Doubles(start);
  return number;
}

template <int kTerms>
struct PieceColumns {
  static constexpr int terms = kTerms;
  alignas(64) double middle[8];
  alignas(64) double inverse_half[8];
  alignas(64) double c[kTerms][8];
};

template <size_t N>
constexpr int max_terms(const Piece (&table)[N]) {
  int found = 0;
  for (const Piece& piece : table) found = piece.terms > found ? piece.terms : found;
  return found;
}
// Numbers of no piece get the last one.
template <const auto& table>
constexpr auto columns_of() {
  static_assert(std::size(table) <= 8);
  PieceColumns<max_terms(table)> found{};
  for (size_t i = 0; i < 8; ++i) {
    const Piece& piece = table[i < std::size(table) ? i : std::size(table) - 1];
    found.middle[i] = piece.middle;
    found.inverse_half[i] = piece.inverse_half;
    for (int k = 0; k < piece.terms; ++k) found.c[k][i] = piece.c[k];
  }
  return found;
}
template <const auto& table>
constexpr auto kColumns = columns_of<table>();

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

// Each lane by the piece of that number, for a result of type T.
template <const auto& table, typename T = double>
C10_ALWAYS_INLINE Doubles evaluate(Doubles::Mask piece, Doubles x) {
  constexpr auto& columns = kColumns<table>;
  constexpr int kLast = terms_for<table, T>() - 1;
  const Doubles u = (x - pick(columns.middle, piece)) * pick(columns.inverse_half, piece);
  if constexpr (sizeof(T) == 4 && kLast > 2) {
    // Two chains, of the even and of the odd powers, take half of the time of one, and lose a digit
    // of a double.
    const Doubles square = u * u;
    Doubles sum = pick(columns.c[kLast], piece), other = pick(columns.c[kLast - 1], piece);
#pragma GCC unroll 16
    for (int k = kLast - 2; k >= 0; k -= 2) sum = sum * square + pick(columns.c[k], piece);
#pragma GCC unroll 16
    for (int k = kLast - 3; k >= 0; k -= 2) other = other * square + pick(columns.c[k], piece);
    return kLast % 2 ? sum * u + other : other * u + sum;
  }
  Doubles sum = pick(columns.c[kLast], piece);
#pragma GCC unroll 32
  for (int k = kLast - 1; k >= 0; --k) sum = sum * u + pick(columns.c[k], piece);
  return sum;
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
