#pragma once
// Matrices of m x n, m >= n, as Q B P^H with a real, upper bidiagonal B, with the conventions of
// LAPACK's gebrd. Matrices lie column by column.
//
// Golub and Kahan's method ("Calculating the singular values and pseudo-inverse of a matrix",
// 1965). The update of one step and the products for the left reflector of the next one share a
// pass over the matrix (Howell et al., "Cache efficient bidiagonalization using BLAS 2.5
// operators", 2008); the right reflector takes another one.

#include <algorithm>

#include <ATen/native/common/Scratch.h>
#include <ATen/native/linalg_factor/cpu/BlockedReflectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The update A -= v y + x u that a step leaves to the next one: v and x are columns, y and u rows.
template <typename T>
struct BidiagonalUpdate {
  const T *v, *y, *x, *u;
};

// Updates rows [begin, m) of `count` columns from column j on, and sets sums to conj(w) times them.
template <int count, typename T>
void update_bidiagonal_columns(T* a, int64_t begin, int64_t m, const BidiagonalUpdate<T>& old,
                               const T* w, int64_t j, T* sums) {
  using L = Lane<T>;
  LaneFactor<T> y[count], u[count];
  for (int c = 0; c < count; ++c) {
    y[c] = LaneFactor<T>(old.y[j + c]);
    u[c] = LaneFactor<T>(old.u[j + c]);
  }
  LaneSum<T> sum[count];
  int64_t i = begin;
  for (; i + L::kCount <= m; i += L::kCount) {
    const auto v = L::load(old.v + i), x = L::load(old.x + i), factor = L::load(w + i);
    for (int c = 0; c < count; ++c) {
      T* at = a + (j + c) * m + i;
      const auto updated = L::load(at) - y[c].times(v) - u[c].times(x);
      L::store(updated, at);
      sum[c].add(factor, updated);
    }
  }
  if (i < m) {
    const int64_t k = m - i;
    const auto v = L::load(old.v + i, k), x = L::load(old.x + i, k), factor = L::load(w + i, k);
    for (int c = 0; c < count; ++c) {
      T* at = a + (j + c) * m + i;
      const auto updated = L::load(at, k) - y[c].times(v) - u[c].times(x);
      L::store(updated, at, k);
      sum[c].add(factor, updated);
    }
  }
  for (int c = 0; c < count; ++c) sums[c] = sum[c].value();
}

// result[i] = the sum of a[i, j] * u[j] over columns [first, n), for rows [begin, m).
template <typename T>
void sum_of_columns(const T* a, int64_t begin, int64_t m, int64_t first, int64_t n, const T* u,
                    T* result) {
  using L = Lane<T>;
  const auto rows = [&]<int vectors>(std::integral_constant<int, vectors>, int64_t i) {
    typename L::Vector sums[vectors]{}, others[vectors]{};
    int64_t j = first;
    for (; j + 2 <= n; j += 2) {
      const LaneFactor<T> f(u[j]), g(u[j + 1]);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) {
        sums[v] += f.times(L::load(a + j * m + i + v * L::kCount));
        others[v] += g.times(L::load(a + (j + 1) * m + i + v * L::kCount));
      }
    }
    if (j < n) {
      const LaneFactor<T> f(u[j]);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[v] += f.times(L::load(a + j * m + i + v * L::kCount));
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) L::store(sums[v] + others[v], result + i + v * L::kCount);
  };
  int64_t i = begin;
  for (; i + 4 * L::kCount <= m; i += 4 * L::kCount) rows(std::integral_constant<int, 4>(), i);
  for (; i + L::kCount <= m; i += L::kCount) rows(std::integral_constant<int, 1>(), i);
  if (i < m) {
    typename L::Vector sum{};
    for (int64_t j = first; j < n; ++j)
      sum += LaneFactor<T>(u[j]).times(L::load(a + j * m + i, m - i));
    L::store(sum, result + i, m - i);
  }
}

// The diagonal and the numbers above it. Below the diagonal, A becomes the left reflectors; column
// k of `right`, n x n, holds the k-th right one from row k + 2 on. tau_q has n elements, tau_p n.
template <typename T>
void bidiagonalize(T* a, int64_t m, int64_t n, Real<T>* diagonal, Real<T>* above, T* tau_q,
                   T* right, T* tau_p) {
  const Scratch<T> buffer(3 * m + 3 * n);
  T *v = buffer.get(), *x = v + m, *w = x + m, *y = w + m, *u = y + n, *row = u + n;
  std::fill_n(v, 3 * m + 3 * n, T(0));
  const BidiagonalUpdate<T> old{v, y, x, u};
  for (int64_t k = 0; k < n; ++k) {
    // Column k is needed first.
    T* column = a + k * m;
    for (int64_t i = k; i < m; ++i) column[i] -= v[i] * y[k] + x[i] * u[k];
    narrow_geqrf(column + k, m - k, 1, m, tau_q + k);
    diagonal[k] = real_part(column[k]);
    tau_p[k] = T(0);
    if (k + 1 == n) break;
    w[k] = T(1);
    std::copy(column + k + 1, column + m, w + k + 1);
    int64_t j = k + 1;
    // Row k is the last that this step changes.
    for (; j + 2 <= n; j += 2) update_bidiagonal_columns<2>(a, k, m, old, w, j, row + j);
    if (j < n) update_bidiagonal_columns<1>(a, k, m, old, w, j, row + j);
    const T factor = conj_value(tau_q[k]);
    for (j = k + 1; j < n; ++j) {
      y[j] = row[j] * factor;
      // The conjugate of row k after the left reflector.
      row[j] = conj_value(a[j * m + k] - y[j]);
    }
    std::copy(w + k, w + m, v + k);
    narrow_geqrf(row + k + 1, n - k - 1, 1, n, tau_p + k);
    above[k] = real_part(row[k + 1]);
    std::copy(row + k + 2, row + n, right + k * n + k + 2);
    row[k + 1] = T(1);
    sum_of_columns(a, k + 1, m, k + 1, n, row, x);
    T product = T(0);
    for (j = k + 1; j < n; ++j) product += y[j] * row[j];
    for (int64_t i = k + 1; i < m; ++i) x[i] = (x[i] - v[i] * product) * tau_p[k];
    for (j = k + 1; j < n; ++j) u[j] = conj_value(row[j]);
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
