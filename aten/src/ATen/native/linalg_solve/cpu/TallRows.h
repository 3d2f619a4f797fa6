#pragma once
// The triangular factor R of a tall matrix A = Q R, and right-hand sides multiplied by Q^T.
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
#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
class TallRows {
  static constexpr int64_t kRows = 1024 / sizeof(T), W = Vec<T>::size;

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

  // The Euclidean norm. Squares of numbers that are very small or large are not numbers.
  static T norm(const T* x) {
    Vec<T> sums[2] = {T(0), T(0)};
    for (int64_t i = 0; i < kRows; i += 2 * W) {
      for (int k = 0; k < 2; ++k)
        sums[k] += Vec<T>::load(x + i + k * W) * Vec<T>::load(x + i + k * W);
    }
    const T squares = sum_lanes(sums[0] + sums[1]);
    constexpr T kLimit = sizeof(T) == 4 ? T(1e25) : T(1e250);
    if (squares < kLimit && squares > 1 / kLimit) return std::sqrt(squares);
    T largest = 0, sum = 0;
    for (int64_t i = 0; i < kRows; ++i) largest = std::max(largest, std::abs(x[i]));
    if (largest == 0) return 0;
    for (int64_t i = 0; i < kRows; ++i) sum += (x[i] / largest) * (x[i] / largest);
    return largest * std::sqrt(sum);
  }

  // A reflector of row j of R and the block, which leaves nothing of the block's column j.
  void eliminate(int64_t j) {
    T *v = block(j), &diagonal = r_[j * n_ + j];
    const T length = norm(v);
    if (length == 0) return;
    const T old = diagonal, beta = -std::copysign(std::hypot(old, length), old);
    for (int64_t i = 0; i < kRows; i += W) (Vec<T>::load(v + i) / Vec<T>(old - beta)).store(v + i);
    diagonal = beta;
    const T factor = (beta - old) / beta;
    int64_t c = j + 1;
    for (; c + 4 <= n_ + columns_; c += 4) reflect<4>(v, factor, j, c);
    for (; c < n_ + columns_; ++c) reflect<1>(v, factor, j, c);
  }

  template <int C>
  void reflect(const T* v, T factor, int64_t j, int64_t first) {
    T *columns = block(first), *row = r_.get() + first * n_ + j;
    Vec<T> sums[C] = {};
    for (int64_t i = 0; i < kRows; i += W) {
      const Vec<T> x = Vec<T>::load(v + i);
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) sums[c] += x * Vec<T>::load(columns + c * kRows + i);
    }
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) {
      const T w = factor * (row[c * n_] + sum_lanes(sums[c]));
      row[c * n_] -= w;
      sums[c] = Vec<T>(w);
    }
    for (int64_t i = 0; i < kRows; i += W) {
      const Vec<T> x = Vec<T>::load(v + i);
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) {
        T* to = columns + c * kRows + i;
        (Vec<T>::load(to) - sums[c] * x).store(to);
      }
    }
  }

  const int64_t n_, columns_;
  Scratch<T> r_, block_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
