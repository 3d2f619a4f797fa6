#pragma once
// Singular values and vectors of small bidiagonal matrices, by implicit QR sweeps (Golub and
// Kahan), without a shift where a small value would lose its digits (Demmel and Kahan, "Accurate
// singular values of bidiagonal matrices", 1990). A sweep's rotations are applied to the vectors
// together.

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/native/common/Scratch.h>
#include <ATen/native/linalg_eigen/cpu/TridiagonalQl.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The rotation that turns (f, g) into (r, 0).
template <typename R>
Rotation<R> rotation_of(R f, R g, R& r) {
  if (g == 0) {
    r = f;
    return {1, 0};
  }
  if (f == 0) {
    r = g;
    return {0, 1};
  }
  R squares = f * f + g * g;
  if (C10_LIKELY(squares > kTinySquares<R>)) {
    r = std::copysign(std::sqrt(squares), f);
  } else {
    r = std::copysign(std::hypot(f, g), f);
  }
  return {f / r, g / r};
}

// Rotates columns first and first + 1, then the next pair, up to column `last`. Each has `rows`
// numbers; they are `rows` apart.
template <typename R>
void rotate_columns_forward(R* columns, int64_t rows, const Rotation<R>* rotations, int64_t first,
                            int64_t last) {
  using V = Vec<R>;
  const auto walk = [&](int64_t r, const auto& load, const auto& store) {
    V shared = load(columns + first * rows + r);
    for (int64_t i = first; i < last; ++i) {
      const V c(rotations[i].cosine), s(rotations[i].sine), x = load(columns + (i + 1) * rows + r);
      store(c * shared + s * x, columns + i * rows + r);
      shared = c * x - s * shared;
    }
    store(shared, columns + last * rows + r);
  };
  int64_t r = 0;
  for (; r + V::size <= rows; r += V::size)
    walk(r, [](const R* p) { return V::load(p); }, [](V v, R* p) { v.store(p); });
  const int64_t left = rows - r;
  if (left > 0)
    walk(r, [=](const R* p) { return V::load(p, left); }, [=](V v, R* p) { v.store(p, left); });
}

// The smaller singular value of (f, g; 0, h).
template <typename R>
R smaller_value(R f, R g, R h) {
  f = std::abs(f), g = std::abs(g), h = std::abs(h);
  const R small = std::min(f, h), large = std::max(f, h);
  if (small == 0) return 0;
  const R sum = 1 + small / large, difference = (large - small) / large;
  if (g < large) {
    const R ratio = (g / large) * (g / large);
    return small *
           (2 / (std::sqrt(sum * sum + ratio) + std::sqrt(difference * difference + ratio)));
  }
  const R ratio = large / g;
  if (ratio == 0) return (small * large) / g;
  const R c = 1 / (std::sqrt(1 + (sum * ratio) * (sum * ratio)) +
                   std::sqrt(1 + (difference * ratio) * (difference * ratio)));
  return 2 * (small * c) * ratio;
}

// The columns of two sets of vectors, of numbers that the rotations of a sweep mix.
template <typename R>
struct VectorColumns {
  R* columns;
  int64_t rows;
};

template <typename R>
class BidiagonalQr {
 public:
  BidiagonalQr(int64_t n, R* diagonal, R* above, VectorColumns<R> left, VectorColumns<R> right)
      : n_(n), d_(diagonal), e_(above), left_(left), right_(right), rotations_(2 * n) {}

  // The diagonal becomes the singular values in descending order; the vectors are multiplied by
  // those of the bidiagonal matrix. Returns 0, or the number of values that did not converge.
  int run() {
    // Sweeps push small values downwards.
    if (n_ > 1 && std::abs(d_[0]) < std::abs(d_[n_ - 1])) flip();
    R norm = 0;
    for (int64_t i = 0; i < n_; ++i)
      norm = std::max({norm, std::abs(d_[i]), i + 1 < n_ ? std::abs(e_[i]) : R(0)});
    // Small beside the whole matrix, which is what bidiagonalize leaves as error.
    const R tiny = std::numeric_limits<R>::min() * R(n_ * n_) / kEpsilon,
            negligible = norm * kEpsilon;
    constexpr int kPatience = 12, kMaxSweeps = 80;
    for (int64_t last = n_ - 1, sweep = 0; last > 0;) {
      const R floor = sweep < kPatience ? tiny : std::max(tiny, negligible);
      int64_t first = last;
      while (first > 0 && std::abs(e_[first - 1]) > floor) --first;
      if (first > 0) e_[first - 1] = 0;
      if (first == last || converged(first, last)) {
        if (first == last) --last, sweep = 0;
        continue;
      }
      if (sweep++ == kMaxSweeps) return static_cast<int>(last + 1);
      const R shift = shift_of(first, last);
      if (shift == 0) sweep_without_shift(first, last);
      else sweep_with_shift(first, last, shift);
      rotate_columns_forward(right_.columns, right_.rows, rotations_.get(), first, last);
      rotate_columns_forward(left_.columns, left_.rows, rotations_.get() + n_, first, last);
    }
    finish();
    return 0;
  }

 private:
  static constexpr R kEpsilon = std::numeric_limits<R>::epsilon() / 2;
  static constexpr R kTolerance = 10 * kEpsilon;

  // The transpose in reverse order is upper bidiagonal, too.
  void flip() {
    std::reverse(d_, d_ + n_);
    std::reverse(e_, e_ + n_ - 1);
    for (const VectorColumns<R>& v : {left_, right_}) {
      for (int64_t j = 0; j < n_ / 2; ++j)
        std::swap_ranges(v.columns + j * v.rows, v.columns + (j + 1) * v.rows,
                         v.columns + (n_ - 1 - j) * v.rows);
    }
    std::swap(left_, right_);
  }

  // Whether a number above the diagonal is too small to change any value by more than its rounding
  // error; it becomes zero.
  bool converged(int64_t first, int64_t last) {
    if (std::abs(e_[last - 1]) <= kTolerance * std::abs(d_[last])) {
      e_[last - 1] = 0;
      return true;
    }
    smallest_ = std::abs(d_[first]);
    largest_ = smallest_;
    R mu = smallest_;
    for (int64_t i = first; i < last; ++i) {
      const R above = std::abs(e_[i]);
      if (above <= kTolerance * mu) {
        e_[i] = 0;
        return true;
      }
      mu = std::abs(d_[i + 1]) * (mu / (mu + above));
      smallest_ = std::min(smallest_, mu);
      largest_ = std::max({largest_, std::abs(d_[i + 1]), above});
    }
    return false;
  }

  R shift_of(int64_t first, int64_t last) const {
    if (R(n_) * kTolerance * (smallest_ / largest_) <= kEpsilon) return 0;
    const R shift = smaller_value(d_[last - 1], e_[last - 1], d_[last]), top = std::abs(d_[first]);
    if (top == 0 || (shift / top) * (shift / top) < kEpsilon) return 0;
    return shift;
  }

  void sweep_without_shift(int64_t first, int64_t last) {
    Rotation<R>*right = rotations_.get(), *left = right + n_;
    Rotation<R> r{1, 0}, l{1, 0};
    R length;
    for (int64_t i = first; i < last; ++i) {
      r = rotation_of(d_[i] * r.cosine, e_[i], length);
      if (i > first) e_[i - 1] = l.sine * length;
      l = rotation_of(l.cosine * length, d_[i + 1] * r.sine, d_[i]);
      right[i] = r;
      left[i] = l;
    }
    const R h = d_[last] * r.cosine;
    d_[last] = h * l.cosine;
    e_[last - 1] = h * l.sine;
  }

  void sweep_with_shift(int64_t first, int64_t last, R shift) {
    Rotation<R>*right = rotations_.get(), *left = right + n_;
    R f = (std::abs(d_[first]) - shift) * (std::copysign(R(1), d_[first]) + shift / d_[first]),
      g = e_[first], length;
    for (int64_t i = first; i < last; ++i) {
      const Rotation<R> r = rotation_of(f, g, length);
      if (i > first) e_[i - 1] = length;
      f = r.cosine * d_[i] + r.sine * e_[i];
      e_[i] = r.cosine * e_[i] - r.sine * d_[i];
      g = r.sine * d_[i + 1];
      d_[i + 1] = r.cosine * d_[i + 1];
      const Rotation<R> l = rotation_of(f, g, length);
      d_[i] = length;
      f = l.cosine * e_[i] + l.sine * d_[i + 1];
      d_[i + 1] = l.cosine * d_[i + 1] - l.sine * e_[i];
      if (i + 1 < last) {
        g = l.sine * e_[i + 1];
        e_[i + 1] = l.cosine * e_[i + 1];
      }
      right[i] = r;
      left[i] = l;
    }
    e_[last - 1] = f;
  }

  void finish() {
    for (int64_t j = 0; j < n_; ++j) {
      if (!std::signbit(d_[j])) continue;
      d_[j] = -d_[j];
      R* column = right_.columns + j * right_.rows;
      for (int64_t i = 0; i < right_.rows; ++i) column[i] = -column[i];
    }
    for (int64_t j = 0; j + 1 < n_; ++j) {
      const int64_t largest = std::max_element(d_ + j, d_ + n_) - d_;
      if (largest == j) continue;
      std::swap(d_[j], d_[largest]);
      for (const VectorColumns<R>& v : {left_, right_})
        std::swap_ranges(v.columns + j * v.rows, v.columns + (j + 1) * v.rows,
                         v.columns + largest * v.rows);
    }
  }

  int64_t n_;
  R *d_, *e_;
  VectorColumns<R> left_, right_;
  Scratch<Rotation<R>> rotations_;
  R smallest_ = 0, largest_ = 0;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
