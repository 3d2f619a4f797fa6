#pragma once
// Householder reflectors one after the other: each one reads and writes all columns behind it.
// Conventions are those of LAPACK's geqrf and orgqr. Matrices lie column by column.

#include <algorithm>

#include <ATen/native/common/cpu/Lanes.h>
#include <ATen/native/common/cpu/SmallMatrices.h>
#include <ATen/native/linalg_factor/cpu/SmallReflectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Applies the reflector with vector (1, v[1], ...) of n numbers to `count` columns:
// column -= (1, v) * factor * (sum of the conjugate of (1, v) and the column).
template <int count, typename T>
void reflect_columns(const T* v, T factor, T* columns, int64_t ld, int64_t n) {
  using L = Lane<T>;
  LaneSum<T> sums[count];
  int64_t i = 1;
  for (; i + L::kCount <= n; i += L::kCount) {
    const auto x = L::load(v + i);
    for (int c = 0; c < count; ++c) sums[c].add(x, L::load(columns + c * ld + i));
  }
  if (i < n) {
    const auto x = L::load(v + i, n - i);
    for (int c = 0; c < count; ++c) sums[c].add(x, L::load(columns + c * ld + i, n - i));
  }
  LaneFactor<T> factors[count];
  for (int c = 0; c < count; ++c) {
    const T w = (columns[c * ld] + sums[c].value()) * factor;
    columns[c * ld] -= w;
    factors[c] = LaneFactor<T>(w);
  }
  for (i = 1; i + L::kCount <= n; i += L::kCount) {
    const auto x = L::load(v + i);
    for (int c = 0; c < count; ++c) {
      T* column = columns + c * ld + i;
      L::store(L::load(column) - factors[c].times(x), column);
    }
  }
  if (i < n) {
    const auto x = L::load(v + i, n - i);
    for (int c = 0; c < count; ++c) {
      T* column = columns + c * ld + i;
      L::store(L::load(column, n - i) - factors[c].times(x), column, n - i);
    }
  }
}

// Reflects `count` columns.
template <typename T>
void reflect(const T* v, T factor, T* columns, int64_t count, int64_t ld, int64_t n) {
  int64_t j = 0;
  for (; j + 4 <= count; j += 4) reflect_columns<4>(v, factor, columns + j * ld, ld, n);
  for (; j < count; ++j) reflect_columns<1>(v, factor, columns + j * ld, ld, n);
}

// R and the reflectors of a few columns, one reflector after the other.
template <typename T>
void narrow_geqrf(T* a, int64_t m, int64_t n, int64_t ld, T* tau) {
  using R = Real<T>;
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    T* v = a + k * (ld + 1);
    const int64_t length = m - k;
    const auto* parts = reinterpret_cast<const R*>(v + 1);
    const int64_t count = (length - 1) * Lane<T>::kParts;
    LaneSum<R> squares;
    int64_t i = 0;
    for (; i + Lane<R>::kCount <= count; i += Lane<R>::kCount) {
      const auto x = Lane<R>::load(parts + i);
      squares.add(x, x);
    }
    if (i < count) {
      const auto x = Lane<R>::load(parts + i, count - i);
      squares.add(x, x);
    }
    tau[k] = make_reflector(v, length, squares.value());
    if (tau[k] == T(0)) continue;
    reflect(v, conj_value(tau[k]), v + ld, n - k - 1, ld, length);
  }
}

// The first n columns of the product of k reflectors, in their place, one after the other.
template <typename T>
void narrow_orgqr(T* q, int64_t m, int64_t n, int64_t k, int64_t ld, const T* tau) {
  for (int64_t i = k - 1; i >= 0; --i) {
    T* v = q + i * (ld + 1);
    reflect(v, tau[i], v + ld, n - i - 1, ld, m - i);
    for (int64_t r = 1; r < m - i; ++r) v[r] = T(0) - tau[i] * v[r];
    v[0] = T(1) - tau[i];
    std::fill_n(q + i * ld, i, T(0));
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
