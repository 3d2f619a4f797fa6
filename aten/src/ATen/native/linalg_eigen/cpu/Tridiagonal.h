#pragma once
// Hermitian matrices as Q T Q^H with a real tridiagonal T, with the conventions of LAPACK's sytrd
// for the lower triangle. Matrices lie column by column.
//
// Householder's method, with the update of one step and the product of the next one in a single
// pass over the matrix (Dongarra, Sorensen and Hammarling, "Block reduction of matrices to
// condensed forms for eigenvalue computations", 1989, have the products; the passes are joined
// here). While the matrix is in the caches, that is faster than blocks.

#include <algorithm>
#include <cmath>

#include <ATen/native/common/Scratch.h>
#include <ATen/native/linalg_factor/cpu/BlockedReflectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The rank-2 update A -= v w^H + w v^H that a step leaves to the next one.
template <typename T>
struct RankTwo {
  const T *v, *w;
};

// Updates rows [j, n) of column j, adds the column times x[j] to p[j, n), and returns the sum of
// conj(a[i, j]) * x[i] over the rows below the diagonal.
template <typename T>
T update_column(T* a, int64_t n, const RankTwo<T>& old, const T* x, T* p, int64_t j) {
  using L = Lane<T>;
  const T vj = conj_value(old.v[j]), wj = conj_value(old.w[j]);
  a[j] = T(real_part(a[j] - old.v[j] * wj - old.w[j] * vj));
  p[j] += a[j] * x[j];
  const LaneFactor<T> v_factor(vj), w_factor(wj), x_factor(x[j]);
  LaneSum<T> sum;
  int64_t i = j + 1;
  for (; i + L::kCount <= n; i += L::kCount) {
    const auto c =
        L::load(a + i) - w_factor.times(L::load(old.v + i)) - v_factor.times(L::load(old.w + i));
    L::store(c, a + i);
    L::store(L::load(p + i) + x_factor.times(c), p + i);
    sum.add(c, L::load(x + i));
  }
  if (i < n) {
    const int64_t k = n - i;
    const auto c = L::load(a + i, k) - w_factor.times(L::load(old.v + i, k)) -
                   v_factor.times(L::load(old.w + i, k));
    L::store(c, a + i, k);
    L::store(L::load(p + i, k) + x_factor.times(c), p + i, k);
    sum.add(c, L::load(x + i, k));
  }
  return sum.value();
}

// The diagonal and the numbers beside it; the lower triangle becomes the reflectors.
template <typename T>
void tridiagonalize(T* a, int64_t n, Real<T>* diagonal, Real<T>* beside, T* tau) {
  const Scratch<T> buffer(4 * n);
  T *v = buffer.get(), *w = v + n, *x = w + n, *p = x + n;
  std::fill_n(v, 2 * n, T(0));
  for (int64_t k = 0; k < n; ++k) {
    T* column = a + k * n;
    // Column k is needed first.
    const T vk = conj_value(v[k]), wk = conj_value(w[k]);
    for (int64_t i = k; i < n; ++i) column[i] -= v[i] * wk + w[i] * vk;
    diagonal[k] = real_part(column[k]);
    if (k + 1 == n) break;
    narrow_geqrf(column + k + 1, n - k - 1, 1, n, tau + k);
    beside[k] = real_part(column[k + 1]);
    x[k + 1] = T(1);
    std::copy_n(column + k + 2, n - k - 2, x + k + 2);
    std::fill_n(p + k + 1, n - k - 1, T(0));
    const RankTwo<T> old{v, w};
    for (int64_t j = k + 1; j < n; ++j) p[j] += update_column(a + j * n, n, old, x, p, j);
    // w = tau A x, less what makes the update symmetric.
    T product = T(0);
    for (int64_t i = k + 1; i < n; ++i) {
      p[i] = p[i] * tau[k];
      product += conj_value(p[i]) * x[i];
    }
    const T half = tau[k] * product * T(Real<T>(-0.5));
    for (int64_t i = k + 1; i < n; ++i) {
      w[i] = p[i] + half * x[i];
      v[i] = x[i];
    }
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
