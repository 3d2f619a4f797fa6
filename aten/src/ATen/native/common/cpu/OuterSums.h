#pragma once
// Sums of outer products: sums[i][j] += left(i, k) * right(k, j) for many k, where the few columns
// of the right are dense. A vector holds columns, so nothing is transposed, and no lanes are added
// up at the end. Complex numbers are pairs of real ones: both parts of a number on the left meet
// all parts on the right.

#include <algorithm>
#include <type_traits>

#include <ATen/native/common/RealOf.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The left operand: element (i, k) is at data[i * row_step + k * inner_step], in real numbers.
template <typename R>
struct OuterLeft {
  const R* data;
  int64_t row_step, inner_step;
};

// Rows i to i + kRows, N vectors of columns. U sums of each, which do not wait for each other.
// Lanes after the last column have sums that are not used: of the columns of later positions,
// except at the end, where only `tail` lanes are read.
template <int kRows, int N, typename R>
void outer_tile(const OuterLeft<R>& left, const R* right, int64_t right_step, int64_t n,
                int64_t tail, R* sums, int64_t sums_step) {
  constexpr int64_t W = Vec<R>::size;
  constexpr int U = kRows * N >= 4 ? 1 : 4 / (kRows * N);
  Vec<R> acc[U][kRows][N] = {};
  const auto add = [&](int u, int64_t k, bool whole) {
    Vec<R> columns[N];
    const R* from = right + k * right_step;
    for (int v = 0; v < N - 1; ++v) columns[v] = Vec<R>::load(from + v * W);
    from += (N - 1) * W;
    columns[N - 1] = whole ? Vec<R>::load(from) : Vec<R>::load(from, tail);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const Vec<R> x(left.data[r * left.row_step + k * left.inner_step]);
#pragma GCC unroll 4
      for (int v = 0; v < N; ++v) acc[u][r][v] += x * columns[v];
    }
  };
  // Loads of whole vectors stay within the matrix for so many positions.
  const int64_t whole = n - (W - tail + right_step - 1) / right_step;
  int64_t k = 0;
  for (; k + U <= whole; k += U) {
#pragma GCC unroll 4
    for (int u = 0; u < U; ++u) add(u, k + u, true);
  }
  for (; k < n; ++k) add(0, k, tail == W);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < N; ++v) {
      Vec<R> all = acc[0][r][v];
#pragma GCC unroll 4
      for (int u = 1; u < U; ++u) all += acc[u][r][v];
      all.store(sums + r * sums_step + v * W);
    }
  }
}

// How many columns of real numbers outer_sums takes.
template <typename R>
constexpr int64_t kMaxOuterColumns = 4 * Vec<R>::size;

// The sums for positions 0 to n; rows of `sums` are kMaxOuterColumns apart.
template <typename R>
void outer_sums(OuterLeft<R> left, int64_t rows, const R* right, int64_t right_step,
                int64_t columns, int64_t n, R* sums) {
  constexpr int64_t W = Vec<R>::size, kStep = kMaxOuterColumns<R>;
  const int64_t vectors = (columns + W - 1) / W, tail = columns - (vectors - 1) * W;
  with_constant<1, 4>(vectors, [&]<int N>(std::integral_constant<int, N>) {
    constexpr int kTogether = N == 4 ? 2 : 4;
    const auto tile = [&]<int K>(std::integral_constant<int, K>) {
      outer_tile<K, N>(left, right, right_step, n, tail, sums, kStep);
      left.data += K * left.row_step;
      sums += K * kStep;
      rows -= K;
    };
    while (rows >= kTogether) tile(std::integral_constant<int, kTogether>());
    if (rows >= 2) tile(std::integral_constant<int, 2>());
    if (rows == 1) tile(std::integral_constant<int, 1>());
  });
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
