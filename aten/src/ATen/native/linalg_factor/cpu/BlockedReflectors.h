#pragma once
// Householder reflectors of matrices of any size, in blocks, so that nearly all work is in
// products.
//
// A block of reflectors is I - V T V^H (Schreiber and Van Loan, "A storage-efficient WY
// representation for products of Householder transformations", 1989): V has the vectors as columns,
// with ones on the diagonal and zeros above, and T is upper triangular. LAPACK has the same blocks,
// but OpenBLAS finds the reflectors of a block by general routines of two or three passes for each
// vector. Conventions are those of LAPACK's geqrf and orgqr. Matrices lie column by column.

#include <algorithm>
#include <memory>

#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/cpu/ColumnProduct.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/SmallMatrices.h>
#include <ATen/native/linalg_factor/cpu/FourReflectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// A block of up to kWidth reflectors, ready to be applied to many columns.
template <typename T>
class ReflectorBlock {
 public:
  static constexpr int64_t kWidth = 32;

  explicit ReflectorBlock(int64_t max_rows)
      : v_(max_rows * kWidth),
        conjugate_(is_complex_type<T> ? max_rows * kWidth : 0),
        t_(kWidth * kWidth),
        gram_(kWidth * kWidth) {}

  // Takes `width` reflectors of n rows from the columns of `a`, below its diagonal.
  void take(const T* a, int64_t ld, const T* tau, int64_t n, int64_t width) {
    n_ = n;
    width_ = width;
    for (int64_t k = 0; k < width; ++k) {
      T* v = v_.get() + k * n;
      std::fill_n(v, std::min(k, n), T(0));
      if (k < n) v[k] = T(1);
      if (k + 1 < n) std::copy_n(a + k * ld + k + 1, n - k - 1, v + k + 1);
    }
    if constexpr (is_complex_type<T>) {
      for (int64_t i = 0; i < n * width; ++i) conjugate_.get()[i] = conj_value(v_.get()[i]);
    }
    // Column k of T is -tau[k] times T times the products of vector k with those before it.
    product_by_columns(true, width, width, n, 1, conjugate(), n, v_.get(), n, 0, gram_.get(),
                       width);
    T* t = t_.get();
    for (int64_t k = 0; k < width; ++k) {
      T* column = t + k * width;
      std::fill_n(column, width, T(0));
      for (int64_t j = 0; j < k; ++j)
        subtract_scaled(j + 1, t + j * width, tau[k] * gram_.get()[j + k * width], column);
      column[k] = tau[k];
    }
  }

  // C = (I - V T V^H) C for n x `columns` numbers, or with T^H.
  void apply(bool adjoint, T* c, int64_t ld, int64_t columns) {
    if (columns == 0) return;
    reserve(2 * width_ * columns);
    T *w = w_->get(), *tw = w + width_ * columns;
    product_by_columns(true, width_, columns, n_, 1, conjugate(), n_, c, ld, 0, w, width_);
    multiply_by_t(adjoint, w, tw, columns);
    product_by_columns(false, n_, columns, width_, -1, v_.get(), n_, tw, width_, 1, c, ld);
  }

  // The first columns of I - V T V^H, in place of the vectors.
  void form(T* c, int64_t ld) {
    reserve(2 * width_ * width_);
    T *w = w_->get(), *tw = w + width_ * width_;
    for (int64_t j = 0; j < width_; ++j) {
      for (int64_t i = 0; i < width_; ++i)
        w[i + j * width_] = i < n_ && j < n_ ? conj_value(v_.get()[j + i * n_]) : T(0);
    }
    multiply_by_t(false, w, tw, width_);
    product_by_columns(false, n_, width_, width_, -1, v_.get(), n_, tw, width_, 0, c, ld);
    for (int64_t j = 0; j < std::min(width_, n_); ++j) c[j * (ld + 1)] += T(1);
  }

 private:
  const T* conjugate() {
    if constexpr (is_complex_type<T>) return conjugate_.get();
    else return v_.get();
  }
  void multiply_by_t(bool adjoint, const T* w, T* result, int64_t columns) {
    if (!adjoint) {
      product_by_columns(false, width_, columns, width_, 1, t_.get(), width_, w, width_, 0, result,
                         width_);
      return;
    }
    T* t = gram_.get();
    for (int64_t i = 0; i < width_ * width_; ++i) t[i] = conj_value(t_.get()[i]);
    product_by_columns(true, width_, columns, width_, 1, t, width_, w, width_, 0, result, width_);
  }
  void reserve(int64_t n) {
    if (w_size_ >= n) return;
    w_ = std::make_unique<Scratch<T>>(n);
    w_size_ = n;
  }

  int64_t n_ = 0, width_ = 0, w_size_ = 0;
  Scratch<T> v_, conjugate_, t_, gram_;
  std::unique_ptr<Scratch<T>> w_;
};

// R and reflectors: a block at a time, which is then applied to the columns behind it.
template <typename T>
void blocked_geqrf(T* a, int64_t m, int64_t n, int64_t ld, T* tau) {
  if (n <= kFactoredByFours) return geqrf_by_fours(a, m, n, ld, tau);
  ReflectorBlock<T> block(m);
  const int64_t steps = std::min(m, n);
  for (int64_t k = 0; k < steps; k += block.kWidth) {
    const int64_t columns = std::min(block.kWidth, steps - k), rest = n - k - columns;
    T* corner = a + k * (ld + 1);
    geqrf_by_fours(corner, m - k, columns, ld, tau + k);
    if (rest == 0) continue;
    block.take(corner, ld, tau + k, m - k, columns);
    block.apply(true, corner + columns * ld, ld, rest);
  }
}

// C = Q C or Q^H C, for the product Q of the first k reflectors, which are below the diagonal of
// `a`.
template <typename T>
void apply_reflectors(const T* a, int64_t m, int64_t k, int64_t ld, const T* tau, bool adjoint,
                      T* c, int64_t columns, int64_t ldc) {
  if (columns <= kMultipliedByFours)
    return apply_by_fours(a, m, k, ld, tau, adjoint, c, columns, ldc);
  ReflectorBlock<T> block(m);
  const int64_t count = divup(k, block.kWidth);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = (adjoint ? i : count - 1 - i) * block.kWidth;
    block.take(a + begin * (ld + 1), ld, tau + begin, m - begin, std::min(block.kWidth, k - begin));
    block.apply(adjoint, c + begin, ldc, columns);
  }
}

// The first n columns of the product of k reflectors, in their place.
template <typename T>
void blocked_orgqr(T* q, int64_t m, int64_t n, int64_t k, int64_t ld, const T* tau) {
  for (int64_t j = k; j < n; ++j) {
    std::fill_n(q + j * ld, m, T(0));
    q[j * (ld + 1)] = T(1);
  }
  if (n <= kFormedByFours) return orgqr_by_fours(q, m, n, k, ld, tau);
  ReflectorBlock<T> block(m);
  for (int64_t end = k; end > 0;) {
    const int64_t begin = (end - 1) / block.kWidth * block.kWidth;
    T* corner = q + begin * (ld + 1);
    block.take(corner, ld, tau + begin, m - begin, end - begin);
    block.apply(false, q + begin + end * ld, ld, n - end);
    block.form(corner, ld);
    for (int64_t j = begin; j < end; ++j) std::fill_n(q + j * ld, begin, T(0));
    end = begin;
  }
}

// Q of n x n from n - 1 reflectors that begin one row further down than in geqrf, as those of
// Hessenberg, tridiagonal and bidiagonal forms do. Columns of `a` are n apart.
template <typename T>
void orgqr_one_down(const T* a, int64_t n, const T* tau, T* q, int64_t ld) {
  std::fill_n(q, ld * n, T(0));
  q[0] = T(1);
  for (int64_t j = 1; j < n; ++j) std::copy(a + (j - 1) * n + j + 1, a + j * n, q + j * ld + j + 1);
  if (n > 1) blocked_orgqr(q + ld + 1, n - 1, n - 1, n - 1, ld, tau);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
