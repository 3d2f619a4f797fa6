#pragma once
// Reflectors of long matrices with few columns. These are bound by memory: a pass applies one
// reflector and finds the sums for the next one, so that there are as many passes as columns.
// Conventions are those of LAPACK's geqrf and orgqr.

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/linalg_factor/cpu/SingleReflectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

constexpr int64_t kFewReflectors = 4;

// f(i, n, sums) for vectors of numbers from `begin` to `end`; n is less than Lane<T>::kCount in the
// last. Adds up the sums of all threads.
template <int count, typename T, typename F>
void each_vector(int64_t begin, int64_t end, LaneSum<T> (&sums)[count], const F& f) {
  constexpr int64_t kRowsOfThread = 4096;
  const int64_t parts = std::clamp<int64_t>((end - begin) / kRowsOfThread, 1,
                                            std::max<int64_t>(get_num_threads(), 1));
  const auto run = [&](int64_t part, LaneSum<T>* own) {
    const int64_t each = divup(end - begin, parts);
    const int64_t last = std::min(end, begin + (part + 1) * each);
    int64_t i = begin + part * each;
    // In registers: what `own` points to might lie in the matrix.
    LaneSum<T> found[count];
    for (; i + Lane<T>::kCount <= last; i += Lane<T>::kCount) f(i, Lane<T>::kCount, found);
    if (i < last) f(i, last - i, found);
    for (int k = 0; k < count; ++k) own[k] += found[k];
  };
  if (parts == 1) return run(0, sums);
  Scratch<LaneSum<T>> all(parts * count);
  parallel_for(0, parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      LaneSum<T> own[count];
      run(part, own);
      std::copy_n(own, count, all.get() + part * count);
    }
  });
  for (int64_t k = 0; k < parts * count; ++k) sums[k % count] += all.get()[k];
}
template <typename T>
typename Lane<T>::Vector load_lanes(const T* p, int64_t n) {
  return n == Lane<T>::kCount ? Lane<T>::load(p) : Lane<T>::load(p, n);
}
template <typename T>
void store_lanes(typename Lane<T>::Vector v, T* p, int64_t n) {
  if (n == Lane<T>::kCount) Lane<T>::store(v, p);
  else Lane<T>::store(v, p, n);
}

// R and reflectors of `count` columns of m numbers each. sums[j] is the sum of conj(x) * column j
// for the first column x, without their first numbers.
template <int count, typename T>
void geqrf_of_few(T* a, int64_t m, int64_t ld, T* tau, const LaneSum<T>* lane_sums) {
  T sums[count];
  for (int j = 0; j < count; ++j) sums[j] = lane_sums[j].value();
  const Reflector<T> reflector(a[0], real_part(sums[0]));
  if (!reflector.is_exact) return narrow_geqrf(a, m, count, ld, tau);
  *tau = reflector.tau;
  a[0] = reflector.first;
  LaneSum<T> next[count];
  T factors[count] = {};
  LaneFactor<T> lane_factors[count];
  const LaneFactor<T> scale(reflector.scale);
  for (int j = 1; j < count; ++j) {
    factors[j] = (a[j * ld] + conj_value(reflector.scale) * sums[j]) * conj_value(reflector.tau);
    a[j * ld] -= factors[j];
    lane_factors[j] = LaneFactor<T>(factors[j]);
  }
  // The second row begins the next reflector.
  a[1] = a[1] * reflector.scale;
  for (int j = 1; j < count; ++j) a[1 + j * ld] -= a[1] * factors[j];
  each_vector(2, m, next, [&](int64_t i, int64_t n, LaneSum<T>* own) {
    const auto v = scale.times(load_lanes(a + i, n));
    store_lanes(v, a + i, n);
    typename Lane<T>::Vector columns[count];
    for (int j = 1; j < count; ++j) {
      columns[j] = load_lanes(a + i + j * ld, n) - lane_factors[j].times(v);
      store_lanes(columns[j], a + i + j * ld, n);
      own[j - 1].add(columns[1], columns[j]);
    }
  });
  if constexpr (count > 1) geqrf_of_few<count - 1>(a + ld + 1, m - 1, ld, tau + 1, next);
}

// Returns false, and changes nothing, if squares of the numbers would overflow or vanish. Later
// columns are no longer than those at the beginning.
template <int count, typename T>
bool geqrf_of_few(T* a, int64_t m, int64_t ld, T* tau) {
  LaneSum<T> sums[2 * count];
  each_vector(1, m, sums, [&](int64_t i, int64_t n, LaneSum<T>* own) {
    const auto x = load_lanes(a + i, n);
    for (int j = 0; j < count; ++j) {
      const auto y = load_lanes(a + i + j * ld, n);
      own[j].add(x, y);
      own[count + j].add(y, y);
    }
  });
  for (int j = 0; j < count; ++j) {
    const T first = a[j * ld];
    const Real<T> size = real_part(sums[count + j].value() + first * conj_value(first));
    if (!(size >= kTinySquares<Real<T>> && std::isfinite(size))) return false;
  }
  geqrf_of_few<count>(a, m, ld, tau, sums);
  return true;
}

// Reflector `k` of `count` is applied to the columns behind it, and becomes a column of the
// product. dots[j]: the sum of conj(vector) * column j, without the row of the vector's one.
template <int k, int count, typename T>
void orgqr_of_few(T* q, int64_t m, int64_t ld, const T* tau, const LaneSum<T>* dots) {
  T factors[count] = {};
  LaneFactor<T> lane_factors[count];
  LaneSum<T> next[count];
  for (int j = k + 1; j < count; ++j) {
    factors[j] = dots[j].value() * tau[k];
    lane_factors[j] = LaneFactor<T>(factors[j]);
    q[k + j * ld] = T(0) - factors[j];
  }
  T* own = q + k * ld;
  own[k] = T(1) - tau[k];
  std::fill_n(own, k, T(0));
  const LaneFactor<T> scale(T(0) - tau[k]);
  each_vector(k + 1, m, next, [&](int64_t i, int64_t n, LaneSum<T>* sums) {
    const auto v = load_lanes(own + i, n);
    typename Lane<T>::Vector columns[count];
    columns[k] = scale.times(v);
    store_lanes(columns[k], own + i, n);
    for (int j = k + 1; j < count; ++j) {
      columns[j] = load_lanes(q + i + j * ld, n) - lane_factors[j].times(v);
      store_lanes(columns[j], q + i + j * ld, n);
    }
    if constexpr (k > 0) {
      const auto u = load_lanes(own - ld + i, n);
      for (int j = k; j < count; ++j) sums[j].add(u, columns[j]);
    }
  });
  if constexpr (k > 0) {
    // Row k, which the vectors above leave out.
    const auto u = Lane<T>::load(own - ld + k, 1);
    for (int j = k; j < count; ++j) next[j].add(u, Lane<T>::load(q + k + j * ld, 1));
    orgqr_of_few<k - 1, count>(q, m, ld, tau, next);
  }
}

// Whether a matrix has few columns, and is so long that passes over it count.
inline bool has_few_columns(int64_t m, int64_t n) { return n <= kFewReflectors && m > 64; }

}  // namespace CPU_CAPABILITY
}  // namespace at::native
