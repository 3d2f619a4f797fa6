#pragma once
// Dot products of rows of a matrix with a vector, where both are dense. Halves are widened as they
// are loaded, and summed as floats.

#include <ATen/native/common/SumType.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Lanes.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/common/cpu/WideVec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// R rows at once, each with its own x or, where ldx is 0, with the same. x has the type of the
// elements or that of their sums.
template <int R, typename T, typename X>
C10_ALWAYS_INLINE void row_dots(const T* a, int64_t lda, const X* x, int64_t ldx, int64_t n,
                                SumType<T>* result) {
  using V = Vec<SumType<T>>;
  constexpr int64_t W = V::size;
  constexpr int K = R == 1 ? 4 : 2;
  V sums[R][K];
  for (int r = 0; r < R; ++r) {
    for (int k = 0; k < K; ++k) sums[r][k] = V(0);
  }
  int64_t i = 0;
  for (; i + K * W <= n; i += K * W) {
    for (int r = 0; r < R; ++r) {
      for (int k = 0; k < K; ++k)
        sums[r][k] += load_wide(a + r * lda + i + k * W) * load_wide(x + r * ldx + i + k * W);
    }
  }
  for (; i + W <= n; i += W) {
    for (int r = 0; r < R; ++r)
      sums[r][0] += load_wide(a + r * lda + i) * load_wide(x + r * ldx + i);
  }
  if (i < n) {
    for (int r = 0; r < R; ++r)
      sums[r][1] += load_wide(a + r * lda + i, n - i) * load_wide(x + r * ldx + i, n - i);
  }
  V all[R];
  for (int r = 0; r < R; ++r) {
    all[r] = sums[r][0] + sums[r][1];
    if constexpr (K == 4) all[r] += sums[r][2] + sums[r][3];
  }
  if constexpr (R == 4) {
    sum_lanes_of_four(all, result);
  } else {
    for (int r = 0; r < R; ++r) result[r] = sum_lanes(all[r]);
  }
}
template <int R, typename T, typename X>
void row_dots(const T* a, int64_t lda, const X* x, int64_t n, SumType<T>* result) {
  row_dots<R>(a, lda, x, 0, n, result);
}

// The dot product of n complex numbers; `conj` takes the conjugate of those on the left.
template <typename T>
T complex_dot(const T* left, const T* right, int64_t n, bool conj) {
  constexpr int64_t W = Lane<T>::kCount;
  LaneSum<T> sums[2];  // which do not wait for each other
  int64_t i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    sums[0].add(Lane<T>::load(left + i), Lane<T>::load(right + i));
    sums[1].add(Lane<T>::load(left + i + W), Lane<T>::load(right + i + W));
  }
  for (; i + W <= n; i += W) sums[0].add(Lane<T>::load(left + i), Lane<T>::load(right + i));
  if (i < n) sums[1].add(Lane<T>::load(left + i, n - i), Lane<T>::load(right + i, n - i));
  sums[0] += sums[1];
  return sums[0].value(conj);
}

// The same as row_dots for rows of N numbers, too few for vectors.
template <int N, typename V>
void short_row_dots(const V* a, int64_t lda, const V* x, int64_t rows, V* result) {
  V own[N > 0 ? N : 1];
  std::copy_n(x, N, own);
  for (int64_t r = 0; r < rows; ++r) {
    V sum = 0;
    for (int k = 0; k < N; ++k) sum += a[r * lda + k] * own[k];
    result[r] = sum;
  }
}

// The same for rows of N registers, of which the last overlaps the one before it; x stays in
// registers.
template <int N, typename V>
void register_row_dots(const V* a, int64_t lda, const V* x, int64_t n, int64_t rows, V* result) {
  using R = Vec<V>;
  using Mask = typename R::Mask;
  const int64_t counted_before = N * R::size - n;
  Mask counts;
  for (int k = 0; k < R::size; ++k) counts[k] = k < counted_before ? 0 : -1;
  const auto last = [&](const V* p) {
    return R(typename R::V(Mask(R::load(p + n - R::size).v) & counts));
  };
  R own[N];
  for (int k = 0; k < N - 1; ++k) own[k] = R::load(x + k * R::size);
  own[N - 1] = last(x);
  const auto products = [&](const V* row) {
    R sum = last(row) * own[N - 1];
    for (int k = 0; k < N - 1; ++k) sum += R::load(row + k * R::size) * own[k];
    return sum;
  };
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const V* p = a + r * lda;
    const R sums[4] = {products(p), products(p + lda), products(p + 2 * lda),
                       products(p + 3 * lda)};
    sum_lanes_of_four(sums, result + r);
  }
  for (; r < rows; ++r) result[r] = sum_lanes(products(a + r * lda));
}

// Any number of rows.
template <typename T, typename X>
void many_row_dots(const T* a, int64_t lda, const X* x, int64_t n, int64_t rows,
                   SumType<T>* result) {
  if constexpr (c10::is_complex_v<T>) {
    for (int64_t r = 0; r < rows; ++r) result[r] = complex_dot(a + r * lda, x, n, false);
  } else if constexpr (std::is_same_v<T, X> && !kSumsAreWide<T>) {
    constexpr int kShortest = 8;
    if (with_constant<0, kShortest>(n, [&]<int N>(std::integral_constant<int, N>) {
      short_row_dots<N>(a, lda, x, rows, result);
    }))
      return;
    constexpr int64_t W = Vec<T>::size;
    if (n > W && with_constant<2, 8>((n + W - 1) / W, [&]<int N>(std::integral_constant<int, N>) {
      register_row_dots<N>(a, lda, x, n, rows, result);
    }))
      return;
  }
  if constexpr (!c10::is_complex_v<T>) {
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) row_dots<4>(a + r * lda, lda, x, n, result + r);
    if (r + 2 <= rows) {
      row_dots<2>(a + r * lda, lda, x, n, result + r);
      r += 2;
    }
    if (r < rows) row_dots<1>(a + r * lda, lda, x, n, result + r);
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
