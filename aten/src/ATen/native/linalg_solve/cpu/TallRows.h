#pragma once
// The triangular factor R of a tall matrix A = Q R, and right-hand sides multiplied by Q^H.
//
//   TallRows<T> rows(n, columns);
//   rows.add(a, lda, b, ldb, count);  // and again, for other rows
//   ... rows.triangle(), rows.right() ...
//
// Blocks of rows are reduced one after the other, each with the R so far, while they are in the
// cache: memory is read once, where LAPACK reads it for each block of columns.

#include <algorithm>
#include <cmath>

#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/cpu/Lanes.h>
#include <ATen/native/common/cpu/SmallMatrices.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
class TallRows {
  using R = Real<T>;
  using L = Lane<T>;
  static constexpr int64_t kRows = 256, W = Vec<R>::size, kNumbers = kRows * L::kParts;

 public:
  TallRows(int64_t n, int64_t columns)
      : n_(n), columns_(columns), r_(n * (n + columns)), block_(kRows * (n + columns)) {
    std::fill_n(r_.get(), n * (n + columns), T(0));
  }

  // Rows of A and of the right-hand sides, column by column. What is left of the right-hand sides
  // replaces them: the sum of its squares is that of the residuals.
  void add(const T* a, int64_t lda, T* b, int64_t ldb, int64_t count) {
    for (int64_t i = 0; i < count; i += kRows) {
      const int64_t rows = std::min(kRows, count - i);
      for (int64_t j = 0; j < n_; ++j) read(a + j * lda + i, rows, j);
      for (int64_t j = 0; j < columns_; ++j) read(b + j * ldb + i, rows, n_ + j);
      for (int64_t j = 0; j < n_; ++j) eliminate(j);
      for (int64_t j = 0; j < columns_; ++j) std::copy_n(block(n_ + j), rows, b + j * ldb + i);
    }
  }

  // n columns, which are n numbers apart, and the right-hand sides.
  T* triangle() { return r_.get(); }
  T* right() { return r_.get() + n_ * n_; }

 private:
  T* block(int64_t j) const { return block_.get() + j * kRows; }

  void read(const T* from, int64_t rows, int64_t j) const {
    std::fill(std::copy_n(from, rows, block(j)), block(j) + kRows, T(0));
  }

  // The Euclidean norm of kNumbers. Squares of numbers that are very small or large are not
  // numbers.
  static R norm(const R* x) {
    Vec<R> sums[2] = {R(0), R(0)};
    for (int64_t i = 0; i < kNumbers; i += 2 * W) {
      for (int k = 0; k < 2; ++k)
        sums[k] += Vec<R>::load(x + i + k * W) * Vec<R>::load(x + i + k * W);
    }
    const R squares = sum_lanes(sums[0] + sums[1]);
    constexpr R kLimit = sizeof(R) == 4 ? R(1e25) : R(1e250);
    if (squares < kLimit && squares > 1 / kLimit) return std::sqrt(squares);
    R largest = 0, sum = 0;
    for (int64_t i = 0; i < kNumbers; ++i) largest = std::max(largest, std::abs(x[i]));
    if (largest == 0) return 0;
    for (int64_t i = 0; i < kNumbers; ++i) sum += (x[i] / largest) * (x[i] / largest);
    return largest * std::sqrt(sum);
  }

  // A reflector of row j of R and the block, which leaves nothing of the block's column j. The
  // diagonal of R is real.
  void eliminate(int64_t j) {
    T &diagonal = r_[j * n_ + j], *column = block(j);
    R* v = reinterpret_cast<R*>(column);
    const R length = norm(v);
    if (length == 0) return;
    const R old = real_part(diagonal), beta = -std::copysign(std::hypot(old, length), old);
    for (int64_t i = 0; i < kNumbers; i += W)
      (Vec<R>::load(v + i) / Vec<R>(old - beta)).store(v + i);
    diagonal = T(beta);
    const R factor = (beta - old) / beta;
    int64_t c = j + 1;
    for (; c + 4 <= n_ + columns_; c += 4) reflect<4>(column, factor, j, c);
    for (; c < n_ + columns_; ++c) reflect<1>(column, factor, j, c);
  }

  template <int C>
  void reflect(const T* v, R factor, int64_t j, int64_t first) {
    T *columns = block(first), *row = r_.get() + first * n_ + j;
    LaneSum<T> sums[C];
    for (int64_t i = 0; i < kRows; i += L::kCount) {
      const auto x = L::load(v + i);
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) sums[c].add(x, L::load(columns + c * kRows + i));
    }
    LaneFactor<T> factors[C];
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) {
      const T w = (row[c * n_] + sums[c].value()) * factor;
      row[c * n_] -= w;
      factors[c] = LaneFactor<T>(w);
    }
    for (int64_t i = 0; i < kRows; i += L::kCount) {
      const auto x = L::load(v + i);
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) {
        T* to = columns + c * kRows + i;
        L::store(L::load(to) - factors[c].times(x), to);
      }
    }
  }

  const int64_t n_, columns_;
  Scratch<T> r_, block_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
