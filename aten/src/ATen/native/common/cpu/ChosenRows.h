#pragma once
// Tables of which each lane of a vector chooses a row.
//
//   constexpr double kColumns[3][8] = ...;  // three numbers of each of eight rows
//   const ChosenRows<kRowsOf<kColumns>> rows(row_numbers);
//   y = (rows[2] * x + rows[1]) * x + rows[0];

#include <cstdint>
#include <iterator>

#include <ATen/native/common/cpu/ByDoubles.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// With AVX-512 one instruction picks from a column of up to 16 numbers. Narrower vectors need up to
// eleven for that, and three where rows are contiguous: their numbers are loaded in pairs and
// transposed.
template <int kNumbers, int kNumRows>
struct RowTable {
  static_assert(kNumRows == 8 || kNumRows == 16);
  static constexpr int numbers = kNumbers, rows = kNumRows;
#if defined(__AVX512F__)
  alignas(64) double column[kNumbers][kNumRows];
  constexpr double& at(int row, int k) { return column[k][row]; }
  constexpr double at(int row, int k) const { return column[k][row]; }
#else
  static constexpr int kWidth = (kNumbers + 1) / 2 * 2;
  alignas(64) double row[kNumRows][kWidth];
  constexpr double& at(int r, int k) { return row[r][k]; }
  constexpr double at(int r, int k) const { return row[r][k]; }
#endif
};

template <const auto& columns>
constexpr auto row_table() {
  constexpr int kNumbers = std::size(columns), kNumRows = std::size(columns[0]);
  RowTable<kNumbers, kNumRows> found{};
  for (int k = 0; k < kNumbers; ++k)
    for (int row = 0; row < kNumRows; ++row) found.at(row, k) = columns[k][row];
  return found;
}
template <const auto& columns>
constexpr auto kRowsOf = row_table<columns>();

// Only the lowest bits of the numbers of rows count.
template <const auto& table, typename T = double>
class ChosenRows {
 public:
#if defined(__AVX512F__)
  C10_ALWAYS_INLINE explicit ChosenRows(Doubles::Mask row) : row_(row) {}
  C10_ALWAYS_INLINE Doubles operator[](int k) const {
    const double* column = table.column[k];
    const Doubles::V first = Doubles::load(column).v;
    if constexpr (table.rows == 8) return Doubles::V(__builtin_shuffle(first, row_));
    else return Doubles::V(__builtin_shuffle(first, Doubles::V(Doubles::load(column + 8).v), row_));
  }

 private:
  Doubles::Mask row_;
#else
  C10_ALWAYS_INLINE explicit ChosenRows(Doubles::Mask row) {
    for (int64_t i = 0; i < Doubles::size; ++i) rows_[i] = table.row[row[i] & (table.rows - 1)];
  }
  // Two neighbours are read together.
  C10_ALWAYS_INLINE Doubles operator[](int k) const {
    const int pair = k / 2 * 2;
#if defined(__AVX2__)
    const auto a = two(0, 2, pair), b = two(1, 3, pair);
    return Doubles::V(k % 2 ? __builtin_shufflevector(a, b, 1, 5, 3, 7)
                            : __builtin_shufflevector(a, b, 0, 4, 2, 6));
#else
    const Doubles::V a = Doubles::load(rows_[0] + pair).v, b = Doubles::load(rows_[1] + pair).v;
    return Doubles::V(k % 2 ? __builtin_shufflevector(a, b, 1, 3)
                            : __builtin_shufflevector(a, b, 0, 2));
#endif
  }

 private:
#if defined(__AVX2__)
  C10_ALWAYS_INLINE __m256d two(int i, int j, int pair) const {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(rows_[i] + pair)),
                                _mm_load_pd(rows_[j] + pair), 1);
  }
#endif
  const double* rows_[Doubles::size];
#endif
};

// Rows of floats: one instruction picks from a column of eight with AVX2, too.
template <const auto& table>
struct FloatColumns {
  static_assert(table.rows == 8);
  static constexpr int kWidth = Vec<float>::size < 8 ? 8 : static_cast<int>(Vec<float>::size);
  alignas(64) float column[table.numbers][kWidth];
  constexpr FloatColumns() : column{} {
    for (int k = 0; k < table.numbers; ++k)
      for (int row = 0; row < kWidth; ++row)
        column[k][row] = static_cast<float>(table.at(row % 8, k));
  }
};
template <const auto& table>
constexpr FloatColumns<table> kFloatColumns;

template <const auto& table>
class ChosenRows<table, float> {
 public:
  C10_ALWAYS_INLINE explicit ChosenRows(Vec<float>::Mask row) : row_(row) {}
  C10_ALWAYS_INLINE Vec<float> operator[](int k) const {
    const float* column = kFloatColumns<table>.column[k];
    if constexpr (Vec<float>::size >= 8) {
      return Vec<float>::V(__builtin_shuffle(Vec<float>::V(Vec<float>::load(column).v), row_));
    } else {
      Vec<float>::V found;
      for (int64_t i = 0; i < Vec<float>::size; ++i) found[i] = column[row_[i] & 7];
      return found;
    }
  }

 private:
  Vec<float>::Mask row_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
