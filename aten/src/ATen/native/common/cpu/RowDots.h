#pragma once
// Dot products of rows of a matrix with a vector, where both are dense. Halves are widened as they
// are loaded, and summed as floats.

#include <utility>

#include <ATen/native/common/SumType.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <c10/util/complex.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// R rows at once. x has the type of the elements or that of their sums.
template <int R, typename T, typename X>
void row_dots(const T* a, int64_t lda, const X* x, int64_t n, SumType<T>* result) {
  using V = Vec<SumType<T>>;
  constexpr int64_t W = V::size;
  constexpr int K = R == 1 ? 4 : 2;
  V sums[R][K];
  for (int r = 0; r < R; ++r) {
    for (int k = 0; k < K; ++k) sums[r][k] = V(0);
  }
  int64_t i = 0;
  for (; i + K * W <= n; i += K * W) {
    V right[K];
    for (int k = 0; k < K; ++k) right[k] = load_wide(x + i + k * W);
    for (int r = 0; r < R; ++r) {
      for (int k = 0; k < K; ++k) sums[r][k] += load_wide(a + r * lda + i + k * W) * right[k];
    }
  }
  for (; i + W <= n; i += W) {
    const V right = load_wide(x + i);
    for (int r = 0; r < R; ++r) sums[r][0] += load_wide(a + r * lda + i) * right;
  }
  if (i < n) {
    const V right = load_wide(x + i, n - i);
    for (int r = 0; r < R; ++r) sums[r][1] += load_wide(a + r * lda + i, n - i) * right;
  }
  for (int r = 0; r < R; ++r) {
    V all = sums[r][0] + sums[r][1];
    if constexpr (K == 4) all += sums[r][2] + sums[r][3];
    result[r] = sum_lanes(all);
  }
}

template <typename T>
struct PartOfComplex {
  using type = void;
};
template <typename R>
struct PartOfComplex<c10::complex<R>> {
  using type = R;
};
// The type of a complex type's parts, or void.
template <typename T>
using ComplexPart = typename PartOfComplex<T>::type;

// The dot product of n complex numbers; `conj` takes the conjugate of those on the left. One vector
// sums the products of equal parts, the other those of a real and an imaginary part; their lanes
// are put together at the end.
template <typename R>
c10::complex<R> complex_dot(const c10::complex<R>* left, const c10::complex<R>* right, int64_t n,
                            bool conj) {
  using V = Vec<R>;
  constexpr int64_t W = V::size;
  typename V::Mask partner;
  for (int64_t k = 0; k < W; ++k) partner[k] = k ^ 1;
  V equal[2] = {R(0), R(0)}, mixed[2] = {R(0), R(0)};
  auto add = [&](int k, V x, V y) {
    equal[k] += x * y;
    mixed[k] += x * V(__builtin_shuffle(y.v, partner));
  };
  int64_t i = 0;
  const int64_t numbers = 2 * n;
  const R *a = reinterpret_cast<const R*>(left), *b = reinterpret_cast<const R*>(right);
  for (; i + 2 * W <= numbers; i += 2 * W) {
    add(0, V::load(a + i), V::load(b + i));
    add(1, V::load(a + i + W), V::load(b + i + W));
  }
  for (; i < numbers; i += W) {
    const int64_t some = std::min(W, numbers - i);
    if (some == W) add(0, V::load(a + i), V::load(b + i));
    else add(1, V::load(a + i, some), V::load(b + i, some));
  }
  R real[2] = {}, imag[2] = {};
  const V squares = equal[0] + equal[1], others = mixed[0] + mixed[1];
  for (int64_t k = 0; k < W; ++k) {
    real[k & 1] += squares.v[k];
    imag[k & 1] += others.v[k];
  }
  if (conj) return {real[0] + real[1], imag[0] - imag[1]};
  return {real[0] - real[1], imag[0] + imag[1]};
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

// Any number of rows.
template <typename T, typename X>
void many_row_dots(const T* a, int64_t lda, const X* x, int64_t n, int64_t rows,
                   SumType<T>* result) {
  if constexpr (!std::is_void_v<ComplexPart<T>>) {
    for (int64_t r = 0; r < rows; ++r) result[r] = complex_dot(a + r * lda, x, n, false);
  } else if constexpr (std::is_same_v<T, X> && !kSumsAreWide<T>) {
    constexpr int kShortest = 8;
    if (n <= kShortest) {
      // The function for this length.
      return [&]<int... N>(std::integer_sequence<int, N...>) {
        (void)((n == N && (short_row_dots<N>(a, lda, x, rows, result), true)) || ...);
      }(std::make_integer_sequence<int, kShortest + 1>());
    }
  }
  if constexpr (std::is_void_v<ComplexPart<T>>) {
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
