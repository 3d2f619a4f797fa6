#pragma once
// LDL^T factors of small symmetric matrices, for which a call of LAPACK takes longer than the work.
//
// The pivots are those of Bunch and Kaufman, "Some stable methods for calculating inertia and
// solving symmetric linear systems", 1977: a block of D has one or two rows. Only the lower
// triangle is read. Pivots and results are in the form of LAPACK's sytrf.

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/native/common/cpu/Lapack.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
class SmallLdl {
  using R = Real<T>;

 public:
  // n columns that are n numbers apart.
  SmallLdl(T* a, int64_t n, int* pivots) : a_(a), n_(n), pivots_(pivots) {}

  // The number of the first zero on D's diagonal, or 0.
  int factor() {
    int info = 0;
    for (int64_t k = 0; k < n_;) {
      const int64_t largest = largest_below(k);
      const R diagonal = size(at(k, k)), below = largest < 0 ? R(0) : size(at(largest, k));
      // Also where it is NaN.
      if (!(std::max(diagonal, below) > 0) || std::isnan(diagonal)) {
        if (info == 0) info = static_cast<int>(k) + 1;
        pivots_[k] = static_cast<int>(k) + 1;
        ++k;
        continue;
      }
      const auto [pivot, rows] = choose(k, largest, diagonal, below);
      exchange(k, k + rows - 1, pivot);
      if (rows == 1) {
        eliminate_row(k);
        pivots_[k] = static_cast<int>(pivot) + 1;
      } else {
        eliminate_two(k);
        pivots_[k] = pivots_[k + 1] = -static_cast<int>(pivot) - 1;
      }
      k += rows;
    }
    return info;
  }

 private:
  T& at(int64_t i, int64_t j) const { return a_[i + j * n_]; }

  static R size(T x) {
    if constexpr (is_complex_type<T>) return std::abs(x.real()) + std::abs(x.imag());
    else return std::abs(x);
  }

  // The row of the largest element below the diagonal; -1 if there is none.
  int64_t largest_below(int64_t k) const {
    int64_t row = -1;
    for (int64_t i = k + 1; i < n_; ++i) {
      if (row < 0 || size(at(i, k)) > size(at(row, k))) row = i;
    }
    return row;
  }

  // The row that comes next, and the number of rows of the block of D.
  std::pair<int64_t, int64_t> choose(int64_t k, int64_t largest, R diagonal, R below) const {
    const R alpha = (1 + std::sqrt(R(17))) / 8;
    if (diagonal >= alpha * below) return {k, 1};
    R row = 0;
    for (int64_t j = k; j < largest; ++j) row = std::max(row, size(at(largest, j)));
    for (int64_t i = largest + 1; i < n_; ++i) row = std::max(row, size(at(i, largest)));
    if (diagonal >= alpha * below * (below / row)) return {k, 1};
    return {largest, size(at(largest, largest)) >= alpha * row ? 1 : 2};
  }

  // Exchanges rows and columns `from` and `to` of what is left from row k on.
  void exchange(int64_t k, int64_t from, int64_t to) {
    if (from == to) return;
    for (int64_t i = to + 1; i < n_; ++i) std::swap(at(i, from), at(i, to));
    for (int64_t i = from + 1; i < to; ++i) std::swap(at(i, from), at(to, i));
    std::swap(at(from, from), at(to, to));
    if (from > k) std::swap(at(from, k), at(to, k));
  }

  void eliminate_row(int64_t k) {
    if (k + 1 == n_) return;
    const T inverse = T(1) / at(k, k);
    for (int64_t j = k + 1; j < n_; ++j) {
      const T factor = inverse * at(j, k);
      for (int64_t i = j; i < n_; ++i) at(i, j) -= at(i, k) * factor;
    }
    for (int64_t i = k + 1; i < n_; ++i) at(i, k) *= inverse;
  }

  void eliminate_two(int64_t k) {
    if (k + 2 >= n_) return;
    // The inverse of the block, divided by its large element outside of the diagonal.
    const T corner = at(k + 1, k), first = at(k + 1, k + 1) / corner, second = at(k, k) / corner;
    const T scale = T(1) / (first * second - T(1)) / corner;
    for (int64_t j = k + 2; j < n_; ++j) {
      const T x = scale * (first * at(j, k) - at(j, k + 1));
      const T y = scale * (second * at(j, k + 1) - at(j, k));
      for (int64_t i = j; i < n_; ++i) at(i, j) -= at(i, k) * x + at(i, k + 1) * y;
      at(j, k) = x;
      at(j, k + 1) = y;
    }
  }

  T* a_;
  int64_t n_;
  int* pivots_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
