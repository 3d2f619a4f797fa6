#pragma once
// Matrices as Q H Q^H with an upper Hessenberg H, with the conventions of LAPACK's gehrd. Matrices
// lie column by column.
//
// Householder's method. As in Tridiagonal.h, the update of one step and the products of the next
// one share a pass over the matrix.

#include <algorithm>

#include <ATen/native/common/Scratch.h>
#include <ATen/native/linalg_factor/cpu/BlockedReflectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Rows and columns [begin, end) of a matrix whose other part is upper triangular.
struct Span {
  int64_t begin, end;
};

// The update A -= w v^H + v z that a step leaves to the next one: v and w are columns, z is a row.
template <typename T>
struct HessenbergUpdate {
  const T *v, *w, *z;
};

// Updates column j from its first row to `rows`, adds it times x[j] to p, and returns the sum of
// conj(x[i]) * a[i, j]. Above row `first` all x and v are zero.
template <typename T>
T update_hessenberg_column(T* a, int64_t first, int64_t rows, const HessenbergUpdate<T>& old,
                           const T* x, T* p, int64_t j) {
  using L = Lane<T>;
  const LaneFactor<T> w_factor(conj_value(old.v[j])), v_factor(old.z[j]), x_factor(x[j]);
  LaneSum<T> sum;
  int64_t i = 0;
  for (; i + L::kCount <= first; i += L::kCount) {
    const auto c = L::load(a + i) - w_factor.times(L::load(old.w + i));
    L::store(c, a + i);
    L::store(L::load(p + i) + x_factor.times(c), p + i);
  }
  for (; i + L::kCount <= rows; i += L::kCount) {
    const auto c =
        L::load(a + i) - w_factor.times(L::load(old.w + i)) - v_factor.times(L::load(old.v + i));
    L::store(c, a + i);
    L::store(L::load(p + i) + x_factor.times(c), p + i);
    sum.add(L::load(x + i), c);
  }
  if (i < rows) {
    const int64_t k = rows - i;
    const auto c = L::load(a + i, k) - w_factor.times(L::load(old.w + i, k)) -
                   v_factor.times(L::load(old.v + i, k));
    L::store(c, a + i, k);
    L::store(L::load(p + i, k) + x_factor.times(c), p + i, k);
    sum.add(L::load(x + i, k), c);
  }
  return sum.value();
}

// A becomes H, and below it the reflectors. tau has n - 1 elements.
template <typename T>
void reduce_to_hessenberg(T* a, int64_t n, Span span, T* tau) {
  const Scratch<T> buffer(5 * n);
  T *v = buffer.get(), *w = v + n, *z = w + n, *x = z + n, *p = x + n;
  std::fill_n(v, 4 * n, T(0));
  std::fill_n(tau, n - 1, T(0));
  const HessenbergUpdate<T> old{v, w, z};
  for (int64_t k = span.begin; k < n; ++k) {
    // Column k is needed first.
    T* column = a + k * n;
    const T vk = conj_value(v[k]), zk = z[k];
    for (int64_t i = 0; i < span.end; ++i) column[i] -= w[i] * vk + v[i] * zk;
    const bool reduces = k + 2 < span.end;
    std::fill_n(x, n, T(0));
    if (reduces) {
      narrow_geqrf(column + k + 1, span.end - k - 1, 1, n, tau + k);
      x[k + 1] = T(1);
      std::copy(column + k + 2, column + span.end, x + k + 2);
    }
    std::fill_n(p, n, T(0));
    for (int64_t j = k + 1; j < n; ++j)
      z[j] = update_hessenberg_column(a + j * n, k, span.end, old, x, p, j);
    if (!reduces) break;  // no update is left
    T product = T(0);
    for (int64_t i = 0; i < span.end; ++i) {
      w[i] = p[i] * tau[k];
      v[i] = x[i];
      product += conj_value(v[i]) * w[i];
    }
    const T factor = conj_value(tau[k]);
    for (int64_t j = k + 1; j < n; ++j) z[j] = (z[j] - product * conj_value(v[j])) * factor;
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
