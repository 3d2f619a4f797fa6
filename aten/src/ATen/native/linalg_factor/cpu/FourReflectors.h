#pragma once
// Panels of four reflectors. The columns behind a panel are read and written once for all four, as
// I - V T V^H (BlockedReflectors.h), by loops of this size: products of general matrices would
// spend most of their time on packing.

#include <algorithm>

#include <ATen/native/common/cpu/Lanes.h>
#include <ATen/native/linalg_factor/cpu/FewReflectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
class FourReflectors {
 public:
  static constexpr int kCount = 4;

  // From columns of a panel that geqrf has factored, of n >= 4 rows.
  FourReflectors(const T* panel, int64_t ld, const T* tau, int64_t n)
      : panel_(panel), ld_(ld), n_(n) {
    for (int k = 0; k < kCount; ++k)
      for (int i = 0; i < kCount; ++i)
        top_[i][k] = i < k ? T(0) : i == k ? T(1) : panel[i + k * ld];
    // Column k of T is -tau[k] times T times the products of vector k with those before it.
    LaneSum<T> sums[kCount][kCount];
    each_row([&](int64_t i, int64_t rows) {
      typename L::Vector v[kCount];
      for (int k = 0; k < kCount; ++k) v[k] = load_lanes(panel_ + i + k * ld_, rows);
      for (int k = 1; k < kCount; ++k)
        for (int j = 0; j < k; ++j) sums[j][k].add(v[j], v[k]);
    });
    for (int k = 0; k < kCount; ++k) {
      for (int j = 0; j < k; ++j) {
        const T product = sums[j][k].value() + top_product(j, [&](int i) { return top_[i][k]; });
        for (int i = 0; i <= j; ++i) t_[i][k] -= tau[k] * t_[i][j] * product;
      }
      t_[k][k] = tau[k];
    }
  }

  // C = (I - V T V^H) C for `count` columns of C, or with T^H.
  void apply(bool adjoint, T* c, int64_t ld, int64_t count) const {
    constexpr int64_t kTogether = (kVecBytes == 64 ? 4 : 2) / (is_complex_type<T> ? 2 : 1);
    constexpr int64_t kNumbersOfThread = 32768;
    const int64_t grain = divup(kNumbersOfThread, n_ * kTogether);
    parallel_for(0, divup(count, kTogether), grain, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin * kTogether; j < std::min(end * kTogether, count);) {
        if (j + kTogether <= count) {
          apply_to<kTogether>(adjoint, c + j * ld, ld);
          j += kTogether;
        } else {
          apply_to<1>(adjoint, c + j++ * ld, ld);
        }
      }
    });
  }

 private:
  using L = Lane<T>;

  // f(i, rows) for all rows below the first four; `rows` is smaller than L::kCount in the last.
  template <typename F>
  void each_row(const F& f) const {
    int64_t i = kCount;
    for (; i + L::kCount <= n_; i += L::kCount) f(i, L::kCount);
    if (i < n_) f(i, n_ - i);
  }
  // The sum of conj(V[i][k]) * y(i) over the first four rows.
  template <typename F>
  T top_product(int k, const F& y) const {
    T sum = T(0);
    for (int i = k; i < kCount; ++i) sum += conj_value(top_[i][k]) * y(i);
    return sum;
  }

  template <int columns>
  void apply_to(bool adjoint, T* c, int64_t ld) const {
    LaneSum<T> sums[kCount][columns];
    each_row([&](int64_t i, int64_t rows) {
      typename L::Vector y[columns];
      for (int j = 0; j < columns; ++j) y[j] = load_lanes(c + i + j * ld, rows);
      for (int k = 0; k < kCount; ++k) {
        const auto v = load_lanes(panel_ + i + k * ld_, rows);
        for (int j = 0; j < columns; ++j) sums[k][j].add(v, y[j]);
      }
    });
    LaneFactor<T> factors[kCount][columns];
    for (int j = 0; j < columns; ++j) {
      T* column = c + j * ld;
      T w[kCount], x[kCount] = {};
      for (int k = 0; k < kCount; ++k)
        w[k] = sums[k][j].value() + top_product(k, [&](int i) { return column[i]; });
      for (int k = 0; k < kCount; ++k) {
        if (adjoint) {
          for (int i = 0; i <= k; ++i) x[k] += conj_value(t_[i][k]) * w[i];
        } else {
          for (int i = k; i < kCount; ++i) x[k] += t_[k][i] * w[i];
        }
        factors[k][j] = LaneFactor<T>(x[k]);
        for (int i = k; i < kCount; ++i) column[i] -= top_[i][k] * x[k];
      }
    }
    each_row([&](int64_t i, int64_t rows) {
      typename L::Vector y[columns];
      for (int j = 0; j < columns; ++j) y[j] = load_lanes(c + i + j * ld, rows);
      for (int k = 0; k < kCount; ++k) {
        const auto v = load_lanes(panel_ + i + k * ld_, rows);
        for (int j = 0; j < columns; ++j) y[j] -= factors[k][j].times(v);
      }
      for (int j = 0; j < columns; ++j) store_lanes(y[j], c + i + j * ld, rows);
    });
  }

  const T* panel_;
  int64_t ld_, n_;
  T top_[kCount][kCount];  // the first rows of V
  T t_[kCount][kCount] = {};
};

// Up to so many columns are factored, formed and multiplied without larger blocks, and so few
// numbers formed by single reflectors (from measurements).
constexpr int64_t kFactoredByFours = 64, kFormedByFours = 40, kMultipliedByFours = 24;
inline bool are_few(int64_t m, int64_t n) { return m * n <= 4096; }

// R and reflectors, four columns at a time.
template <typename T>
void geqrf_by_fours(T* a, int64_t m, int64_t n, int64_t ld, T* tau) {
  constexpr int kCount = FourReflectors<T>::kCount;
  int64_t k = 0;
  // geqrf_of_few reads a row below its reflectors.
  for (; k + kCount <= std::min(m - 1, n); k += kCount) {
    T* corner = a + k * (ld + 1);
    if (!geqrf_of_few<kCount>(corner, m - k, ld, tau + k))
      narrow_geqrf(corner, m - k, kCount, ld, tau + k);
    if (k + kCount == n) return;
    const FourReflectors<T> four(corner, ld, tau + k, m - k);
    four.apply(true, corner + kCount * ld, ld, n - k - kCount);
  }
  narrow_geqrf(a + k * (ld + 1), m - k, n - k, ld, tau + k);
}

// The first n columns of the product of k reflectors, in their place. Those after the k-th are
// columns of the identity.
template <typename T>
void orgqr_by_fours(T* q, int64_t m, int64_t n, int64_t k, int64_t ld, const T* tau) {
  if (are_few(m, n)) return narrow_orgqr(q, m, n, k, ld, tau);
  constexpr int kCount = FourReflectors<T>::kCount;
  int64_t begin = std::min(k, m - 1) / kCount * kCount;
  const auto clear_above = [&](int64_t columns) {
    for (int64_t j = begin; j < begin + columns; ++j) std::fill_n(q + j * ld, begin, T(0));
  };
  narrow_orgqr(q + begin * (ld + 1), m - begin, n - begin, k - begin, ld, tau + begin);
  clear_above(k - begin);
  while (begin > 0) {
    begin -= kCount;
    T* corner = q + begin * (ld + 1);
    if (begin + kCount < n) {
      const FourReflectors<T> four(corner, ld, tau + begin, m - begin);
      four.apply(false, corner + kCount * ld, ld, n - begin - kCount);
    }
    const LaneSum<T> none[kCount] = {};
    orgqr_of_few<kCount - 1, kCount>(corner, m - begin, ld, tau + begin, none);
    clear_above(kCount);
  }
}

// C = Q C or Q^H C, for the product Q of the first k reflectors, which are below the diagonal of
// `a`.
template <typename T>
void apply_by_fours(const T* a, int64_t m, int64_t k, int64_t ld, const T* tau, bool adjoint, T* c,
                    int64_t columns, int64_t ldc) {
  constexpr int kCount = FourReflectors<T>::kCount;
  const auto one = [&](int64_t i) {
    reflect(a + i * (ld + 1), adjoint ? conj_value(tau[i]) : tau[i], c + i, columns, ldc, m - i);
  };
  const auto four = [&](int64_t i) {
    FourReflectors<T>(a + i * (ld + 1), ld, tau + i, m - i).apply(adjoint, c + i, ldc, columns);
  };
  const int64_t last = k / kCount * kCount;
  if (adjoint) {
    for (int64_t i = 0; i < last; i += kCount) four(i);
    for (int64_t i = last; i < k; ++i) one(i);
  } else {
    for (int64_t i = k - 1; i >= last; --i) one(i);
    for (int64_t i = last - kCount; i >= 0; i -= kCount) four(i);
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
