#pragma once
// Factorizations of matrices of up to about 32 x 32, where a call of LAPACK costs more than the
// work. Matrices lie column by column, `ld` elements apart. Inner loops run down columns, so that
// they vectorize.

#include <cmath>
#include <cstdint>
#include <utility>

#include <ATen/native/common/cpu/Lanes.h>
#include <c10/util/complex.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr int64_t kSmallMatrix = 32;

template <typename T>
inline T conj_value(T x) {
  return x;
}
template <typename T>
inline c10::complex<T> conj_value(c10::complex<T> x) {
  return {x.real(), -x.imag()};
}
template <typename T>
inline T real_part(T x) {
  return x;
}
template <typename T>
inline T real_part(c10::complex<T> x) {
  return x.real();
}
template <typename T>
inline T modulus(T x) {
  return std::abs(x);
}
template <typename T>
inline T modulus(c10::complex<T> x) {
  return std::hypot(x.real(), x.imag());
}
// The size by which LAPACK selects pivots.
template <typename T>
inline T pivot_size(T x) {
  return std::abs(x);
}
template <typename T>
inline T pivot_size(c10::complex<T> x) {
  return std::abs(x.real()) + std::abs(x.imag());
}

// y[i] -= x[i] * factor
template <typename T>
inline void subtract_scaled(int64_t n, const T* __restrict__ x, T factor, T* __restrict__ y) {
  for (int64_t i = 0; i < n; ++i) y[i] -= x[i] * factor;
}

// The largest size of n numbers, which are a whole number of vectors; NaN has none.
template <typename T>
Real<T> largest_pivot_size(const T* x, int64_t n) {
  using L = Lane<T>;
  using V = Vec<Real<T>>;
  constexpr int kChains = 4;
  V best[kChains] = {V(Real<T>(0)), V(Real<T>(0)), V(Real<T>(0)), V(Real<T>(0))};
  for (int64_t i = 0; i < n; i += kChains * L::kCount) {
    for (int k = 0; k < kChains; ++k) {
      if (k > 0 && i + k * L::kCount >= n) break;
      V size = abs(V(L::load(x + i + k * L::kCount)));
      if constexpr (c10::is_complex_v<T>) size = size + V(L::swapped(size.v));
      best[k] = max(size, best[k]);
    }
  }
  const V all = max(max(best[0], best[1]), max(best[2], best[3]));
  return fold_lanes(all, [](V a, V b) { return max(a, b); });
}
// The number of the first of the largest, from `begin` on; `begin` if that is NaN.
template <typename T>
int64_t pivot_row(const T* x, int64_t begin, int64_t end) {
  int64_t p = begin, i = begin + 1;
  auto largest = pivot_size(x[begin]);
  constexpr int64_t kShort = 64;
  if (end - i >= kShort && largest == largest) {
    const int64_t whole = (end - i) / Lane<T>::kCount * Lane<T>::kCount;
    const auto found = largest_pivot_size(x + i, whole);
    if (found > largest) {
      largest = found;
      for (p = i; p + 1 < end && pivot_size(x[p]) != found;) ++p;
    }
    i += whole;
  }
  for (; i < end; ++i) {
    if (const auto size = pivot_size(x[i]); size > largest) {
      largest = size;
      p = i;
    }
  }
  return p;
}

// A = P L U in place, with partial pivoting. Returns the number of the first pivot that is zero,
// counted from one, or zero; `pivots` counts from one too.
template <typename T>
int small_lu(T* a, int64_t m, int64_t n, int64_t ld, int* pivots) {
  int info = 0;
  const int64_t steps = m < n ? m : n;
  for (int64_t k = 0; k < steps; ++k) {
    T* column = a + k * ld;
    const int64_t p = pivot_row(column, k, m);
    pivots[k] = static_cast<int>(p + 1);
    if (column[p] == T(0)) {
      if (info == 0) info = static_cast<int>(k + 1);
      continue;
    }
    if (p != k) {
      for (int64_t j = 0; j < n; ++j) std::swap(a[k + j * ld], a[p + j * ld]);
    }
    const T pivot = column[k];
    for (int64_t i = k + 1; i < m; ++i) column[i] = column[i] / pivot;
    for (int64_t j = k + 1; j < n; ++j)
      subtract_scaled(m - k - 1, column + k + 1, a[k + j * ld], a + k + 1 + j * ld);
  }
  return info;
}

// The lower triangle of A = L L^H in place; the upper one is neither read nor written. Returns the
// order of the first minor that is not positive, or zero.
template <typename T>
int small_cholesky(T* a, int64_t n, int64_t ld) {
  for (int64_t k = 0; k < n; ++k) {
    T* column = a + k * ld;
    auto d = real_part(column[k]);
    if (!(d > 0)) return static_cast<int>(k + 1);
    d = std::sqrt(d);
    column[k] = T(d);
    for (int64_t i = k + 1; i < n; ++i) column[i] = column[i] / T(d);
    for (int64_t j = k + 1; j < n; ++j)
      subtract_scaled(n - j, column + j, conj_value(column[j]), a + j + j * ld);
  }
  return 0;
}

// y[i] -= the sum of four columns, `ld` apart, times factors: y is read and written once.
template <typename T>
inline void subtract_four(int64_t n, const T* __restrict__ a, int64_t ld, const T* factors,
                          T* __restrict__ y) {
  const T f0 = factors[0], f1 = factors[1], f2 = factors[2], f3 = factors[3];
  const T *b = a + ld, *c = b + ld, *d = c + ld;
  for (int64_t i = 0; i < n; ++i) y[i] -= (a[i] * f0 + b[i] * f1) + (c[i] * f2 + d[i] * f3);
}

// Solves L X = B for lower triangular L.
template <typename T>
void small_forward(const T* l, int64_t n, int64_t ld, bool unit, T* b, int64_t columns,
                   int64_t ldb) {
  for (int64_t c = 0; c < columns; ++c) {
    T* x = b + c * ldb;
    for (int64_t k = 0; k < n;) {
      const bool four = n - k >= 8;
      const int64_t end = four ? k + 4 : n;
      for (int64_t j = k; j < end; ++j) {
        if (!unit) x[j] = x[j] / l[j + j * ld];
        subtract_scaled(end - j - 1, l + j + 1 + j * ld, x[j], x + j + 1);
      }
      if (four) subtract_four(n - end, l + end + k * ld, ld, x + k, x + end);
      k = end;
    }
  }
}

// Solves U X = B for upper triangular U.
template <typename T>
void small_backward(const T* u, int64_t n, int64_t ld, bool unit, T* b, int64_t columns,
                    int64_t ldb) {
  for (int64_t c = 0; c < columns; ++c) {
    T* x = b + c * ldb;
    for (int64_t k = n; k > 0;) {
      const bool four = k >= 8;
      const int64_t begin = four ? k - 4 : 0;
      for (int64_t j = k - 1; j >= begin; --j) {
        if (!unit) x[j] = x[j] / u[j + j * ld];
        subtract_scaled(j - begin, u + begin + j * ld, x[j], x + begin);
      }
      if (four) subtract_four(begin, u + begin * ld, ld, x + begin, x);
      k = begin;
    }
  }
}

// Interchanges rows of B as a factorization did, from the first to the last or in reverse.
template <typename T>
void small_swap_rows(T* b, int64_t columns, int64_t ldb, const int* pivots, int64_t n,
                     bool reverse = false) {
  for (int64_t c = 0; c < columns; ++c) {
    T* column = b + c * ldb;
    for (int64_t s = 0; s < n; ++s) {
      const int64_t k = reverse ? n - 1 - s : s;
      std::swap(column[k], column[pivots[k] - 1]);
    }
  }
}

// The inverse in place, by Gauss-Jordan elimination with partial pivoting. Returns the number of
// the first pivot that is zero, counted from one, or zero.
template <typename T>
int small_inverse(T* a, int64_t n, int64_t ld) {
  int pivots[kSmallMatrix];
  T factors[kSmallMatrix];
  for (int64_t k = 0; k < n; ++k) {
    T* column = a + k * ld;
    int64_t p = k;
    auto largest = pivot_size(column[k]);
    for (int64_t i = k + 1; i < n; ++i) {
      auto size = pivot_size(column[i]);
      if (size > largest) {
        largest = size;
        p = i;
      }
    }
    pivots[k] = static_cast<int>(p + 1);
    if (column[p] == T(0)) return static_cast<int>(k + 1);
    if (p != k) {
      for (int64_t j = 0; j < n; ++j) std::swap(a[k + j * ld], a[p + j * ld]);
    }
    // Row k is divided by the pivot; the column keeps what eliminates the others.
    const T inverse = T(1) / column[k];
    for (int64_t i = 0; i < n; ++i) factors[i] = column[i];
    factors[k] = T(0);
    for (int64_t j = 0; j < n; ++j) {
      if (j == k) continue;
      T* other = a + j * ld;
      const T scaled = other[k] * inverse;
      other[k] = scaled;
      subtract_scaled(n, factors, scaled, other);
    }
    for (int64_t i = 0; i < n; ++i) column[i] = T(0) - factors[i] * inverse;  // never -0
    column[k] = inverse;
  }
  for (int64_t k = n - 1; k >= 0; --k) {
    const int64_t p = pivots[k] - 1;
    if (p == k) continue;
    for (int64_t i = 0; i < n; ++i) std::swap(a[i + k * ld], a[i + p * ld]);
  }
  return 0;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
