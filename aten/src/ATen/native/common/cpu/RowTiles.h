#pragma once
// Dot products of a few rows with many, as of inputs with the weights of a layer: the many are read
// once, for up to four of the few at a time. All rows are dense.
//
//   const PaddedRows<float> few(x, 3, k, ldx);
//   each_row_tile(3, n, k, [&]<int F, int R>(int64_t i, int64_t j, RowTile<F, R>) {
//     const FloatDots<float> dots{{few.row(i), few.step}, y + j * ldy, ldy};
//     tile_of_dots<F, R>(dots, k, [&](int64_t f, int64_t r, float sum) {
//       c[(i + f) * n + j + r] = sum;
//     });
//   });

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Rows in type V, padded with zeros to whole vectors. Numbers of a row are `column_step` apart.
template <typename V>
struct PaddedRows {
  static constexpr int64_t kLanes = kVecBytes / sizeof(V);
  int64_t step;
  Scratch<V> data;

  template <typename T>
  PaddedRows(const T* from, int64_t rows, int64_t k, int64_t row_step, int64_t column_step = 1)
      : step(divup(k, kLanes) * kLanes), data(rows * step) {
    for (int64_t i = 0; i < rows; ++i, from += row_step) {
      V* to = row(i);
      if (column_step != 1) {
        for (int64_t p = 0; p < k; ++p) to[p] = static_cast<V>(from[p * column_step]);
      } else if constexpr (std::is_same_v<V, SumType<T>>) {
        convert_run(from, to, k);
      } else {
        std::copy_n(from, k, to);
      }
      std::fill(to + k, to + step, V(0));
    }
  }
  V* row(int64_t i) const { return data.get() + i * step; }
};

// As many sums are in registers at a time.
constexpr int kFewInTile = 4, kSumsOfTile = 12;
template <int F, int R>
struct RowTile {};

// f(i, j, RowTile<F, R>()) for tiles of all few rows i with rows `begin` to `end` of the many, j.
template <typename Tile>
void each_tile_of_block(int64_t few, int64_t begin, int64_t end, const Tile& f) {
  for (int64_t i = 0, rows; i < few; i += rows) {
    const int64_t left = few - i;
    rows = left > kFewInTile && left < 2 * kFewInTile ? divup(left, 2)
                                                      : std::min<int64_t>(kFewInTile, left);
    with_constant<1, kFewInTile>(rows, [&]<int F>(std::integral_constant<int, F>) {
      constexpr int R = kSumsOfTile / F;
      int64_t j = begin;
      for (; j + R <= end; j += R) f(i, j, RowTile<F, R>());
      for (; j < end; ++j) f(i, j, RowTile<F, 1>());
    });
  }
}

// The same for all of the many, in parallel, by blocks that stay in a cache. k: numbers of a row.
template <typename Tile>
void each_row_tile(int64_t few, int64_t many, int64_t k, const Tile& f) {
  const int64_t grain = divup(divup(kGrainSize, k * few), kSumsOfTile) * kSumsOfTile;
  parallel_for(0, many, grain, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; j += kSumsOfTile)
      each_tile_of_block(few, j, std::min<int64_t>(end, j + kSumsOfTile), f);
  });
}

// write(f, r, sum of few row f times many row r) for k numbers. Dots has the types of vectors and
// sums, few(f, p), many(r, p) and many(r, p, count) for the vectors from p on, of which the last
// has zeros behind its numbers, add(sum, left, right), and total(sum).
template <int F, int R, typename Dots, typename Write>
void tile_of_dots(const Dots& rows, int64_t k, const Write& write) {
  typename Dots::Sum sums[F][R] = {};
  const auto add = [&](int64_t p, const auto&... count) {
    typename Dots::Vector left[F];
#pragma GCC unroll 4
    for (int f = 0; f < F; ++f) left[f] = rows.few(f, p);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const auto right = rows.many(r, p, count...);
#pragma GCC unroll 4
      for (int f = 0; f < F; ++f) Dots::add(sums[f][r], left[f], right);
    }
  };
  int64_t p = 0;
  for (; p + Dots::kLanes <= k; p += Dots::kLanes) add(p);
  if (p < k) add(p, k - p);
#pragma GCC unroll 4
  for (int f = 0; f < F; ++f) {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) write(f, r, Dots::total(sums[f][r]));
  }
}

// The few rows, and sums, of dot products in floating point.
template <typename V>
struct FewFloats {
  using Vector = Vec<V>;
  using Sum = Vec<V>;
  static constexpr int64_t kLanes = Vec<V>::size;
  const V* x;
  int64_t x_step;

  Vec<V> few(int64_t f, int64_t p) const { return Vec<V>::load(x + f * x_step + p); }
  static void add(Sum& sum, Vector left, Vector right) { sum += left * right; }
  static V total(Sum sum) { return sum_lanes(sum); }
};

// With many rows of T, halves of which are widened as they are read.
template <typename T>
struct FloatDots : FewFloats<SumType<T>> {
  const T* y;
  int64_t y_step;

  auto many(int64_t r, int64_t p) const { return load_wide(y + r * y_step + p); }
  auto many(int64_t r, int64_t p, int64_t count) const {
    return load_wide(y + r * y_step + p, count);
  }
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
