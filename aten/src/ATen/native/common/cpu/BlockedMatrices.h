#pragma once
// LU factors and triangular equations of matrices of any size, divided in halves until
// SmallMatrices.h applies, so that nearly all work is in products (gemm of Gemm.h, which uses all
// threads).
//
// LAPACK's routines of OpenBLAS do the same with its own triangular kernels, which take about twice
// as long (1000 x 1000 on one thread of a Sapphire Rapids). Matrices lie column by column.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <ATen/Parallel.h>
#include <ATen/native/common/cpu/ColumnProduct.h>
#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/SmallMatrices.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// C -= A B, or A^T B, for C of m x n.
template <typename T>
void subtract_product(const T* a, int64_t lda, bool trans, const T* b, int64_t ldb, T* c,
                      int64_t ldc, int64_t m, int64_t n, int64_t k) {
  product_by_columns(trans, m, n, k, -1, a, lda, b, ldb, 1, c, ldc);
}

struct Triangle {
  bool upper, unit;
  bool transpose = false;
  // Whether the first unknown is determined first.
  bool forward() const { return upper == transpose; }
};

// The sum of x[i] * y[i]. The compiler does not vectorize sums of floating-point numbers by itself.
// Of complex numbers one vector sums the products of equal parts, the other those of a real and an
// imaginary part.
template <typename T>
T dot(const T* x, const T* y, int64_t n) {
  constexpr bool kIsReal = std::is_floating_point_v<T>;
  using R = typename RealOf<T>::type;
  typedef R Vector __attribute__((vector_size(64)));
  typedef std::conditional_t<sizeof(R) == 4, int32_t, int64_t> Index
      __attribute__((vector_size(64)));
  constexpr int kLanes = 64 / sizeof(R), kCount = 64 / sizeof(T);
  const auto load = [](const T* from) {
    Vector v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  };
  T sum = T(0);
  int64_t i = 0;
  if (n >= kCount) {
    Vector first{}, second{};
    if constexpr (kIsReal) {
      for (; i + 2 * kCount <= n; i += 2 * kCount) {
        first += load(x + i) * load(y + i);
        second += load(x + i + kCount) * load(y + i + kCount);
      }
      if (i + kCount <= n) {
        first += load(x + i) * load(y + i);
        i += kCount;
      }
      // By halves: a chain of additions would take longer than the products of a short column.
      R lanes[kLanes];
      first += second;
      std::memcpy(lanes, &first, sizeof(lanes));
      for (int half = kLanes / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
      }
      sum = lanes[0];
    } else {
      Index partner;
      for (int l = 0; l < kLanes; ++l) partner[l] = l ^ 1;
      for (; i + kCount <= n; i += kCount) {
        const Vector a = load(x + i), b = load(y + i);
        first += a * b;
        second += a * __builtin_shuffle(b, partner);
      }
      for (int l = 0; l < kLanes; l += 2)
        sum += T(first[l] - first[l + 1], second[l] + second[l + 1]);
    }
  }
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// Solves A X = B, or A^T X = B, where the columns of A^T are rows of A: by scalar products.
template <typename T>
void small_transposed(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t columns,
                      int64_t ldb) {
  for (int64_t s = 0; s < n; ++s) {
    const int64_t k = t.forward() ? s : n - 1 - s;
    const T* column = a + k * ld;
    const int64_t begin = t.forward() ? 0 : k + 1, end = t.forward() ? k : n;
    // The columns of B do not depend on each other: one is computed while another one waits.
    for (int64_t c = 0; c < columns; ++c) {
      T* x = b + c * ldb;
      x[k] -= dot(column + begin, x + begin, end - begin);
      if (!t.unit) x[k] = x[k] / column[k];
    }
  }
}

// Elements of several columns. The compiler's own vectors, since it does not keep a plain array of
// sums in registers.
template <typename T>
struct Lanes {
  static constexpr int kCount = 16;
  typedef T Vector __attribute__((vector_size(64)));
  static constexpr int kVectors = kCount * sizeof(T) / 64;
  explicit Lanes(T x) {
    for (Vector& v : vectors) v = Vector{} + x;
  }
  Lanes() {}
  void subtract(T factor, const Lanes& x) {
    for (int i = 0; i < kVectors; ++i) vectors[i] -= factor * x.vectors[i];
  }
  void scale(T factor) {
    for (Vector& v : vectors) v *= factor;
  }
  void set(int i, T x) { values[i] = x; }
  T get(int i) const { return values[i]; }
  union {
    Vector vectors[kVectors];
    T values[kCount];
  };
};

template <typename T>
struct Lanes<c10::complex<T>> {
  using C = c10::complex<T>;
  static constexpr int kCount = Lanes<T>::kCount;
  explicit Lanes(C x) : real(x.real()), imag(x.imag()) {}
  Lanes() {}
  void subtract(C factor, const Lanes& x) {
    real.subtract(factor.real(), x.real);
    real.subtract(-factor.imag(), x.imag);
    imag.subtract(factor.real(), x.imag);
    imag.subtract(factor.imag(), x.real);
  }
  void scale(C factor) {
    Lanes result(C(0));
    result.subtract(-factor, *this);
    *this = result;
  }
  void set(int i, C x) {
    real.set(i, x.real());
    imag.set(i, x.imag());
  }
  C get(int i) const { return {real.get(i), imag.get(i)}; }
  Lanes<T> real, imag;
};

// The same for up to kSmallMatrix unknowns and many columns, some of which lie side by side in a
// buffer, so that every step works on all of them at once.
template <typename T>
void solve_side_by_side(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t columns,
                        int64_t ldb) {
  using Row = Lanes<T>;
  Row rows[kSmallMatrix];
  const int64_t down = t.transpose ? ld : 1, across = t.transpose ? 1 : ld;
  for (int64_t c = 0; c < columns; c += Row::kCount) {
    const int64_t width = std::min<int64_t>(Row::kCount, columns - c);
    T* block = b + c * ldb;
    if (width < Row::kCount) std::fill_n(rows, n, Row(T(0)));
    for (int64_t l = 0; l < width; ++l) {
      for (int64_t k = 0; k < n; ++k) rows[k].set(l, block[k + l * ldb]);
    }
    for (int64_t s = 0; s < n; ++s) {
      const int64_t k = t.forward() ? s : n - 1 - s;
      const int64_t begin = t.forward() ? 0 : k + 1, end = t.forward() ? k : n;
      Row sum = rows[k], other(T(0));
      int64_t j = begin;
      for (; j + 2 <= end; j += 2) {
        sum.subtract(a[k * down + j * across], rows[j]);
        other.subtract(a[k * down + (j + 1) * across], rows[j + 1]);
      }
      if (j < end) sum.subtract(a[k * down + j * across], rows[j]);
      sum.subtract(T(-1), other);
      rows[k] = sum;
      if (!t.unit) rows[k].scale(T(1) / a[k * (ld + 1)]);
    }
    for (int64_t l = 0; l < width; ++l) {
      for (int64_t k = 0; k < n; ++k) block[k + l * ldb] = rows[k].get(l);
    }
  }
}

template <typename T>
void solve_small_triangle(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t columns,
                          int64_t ldb) {
  // Lanes without a column are work as well.
  if (columns > 4 && n <= kSmallMatrix) solve_side_by_side(a, n, ld, t, b, columns, ldb);
  else if (t.transpose) small_transposed(a, n, ld, t, b, columns, ldb);
  else if (t.upper) small_backward(a, n, ld, t.unit, b, columns, ldb);
  else small_forward(a, n, ld, t.unit, b, columns, ldb);
}

template <typename T>
void solve_halves(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t columns,
                  int64_t ldb) {
  if (n <= kSmallMatrix) return solve_small_triangle(a, n, ld, t, b, columns, ldb);
  const int64_t first = divup(n / 2, kSmallMatrix) * kSmallMatrix, rest = n - first;
  const T* corner = a + first * (ld + 1);
  const T* other = t.upper ? a + first * ld : a + first;
  if (t.forward()) {
    solve_halves(a, first, ld, t, b, columns, ldb);
    subtract_product(other, ld, t.transpose, b, ldb, b + first, ldb, rest, columns, first);
    solve_halves(corner, rest, ld, t, b + first, columns, ldb);
  } else {
    solve_halves(corner, rest, ld, t, b + first, columns, ldb);
    subtract_product(other, ld, t.transpose, b + first, ldb, b, ldb, first, columns, rest);
    solve_halves(a, first, ld, t, b, columns, ldb);
  }
}

// Solves A X = B, or A^T X = B, in place of B.
template <typename T>
void solve_triangle(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t columns,
                    int64_t ldb) {
  // A few columns are bound by the memory of A, which a single pass reads once.
  if (columns <= 2) return solve_small_triangle(a, n, ld, t, b, columns, ldb);
  const int64_t grain = std::max<int64_t>(16, (1 << 20) / (n * n + 1));
  parallel_for(0, columns, grain, [&](int64_t begin, int64_t end) {
    solve_halves(a, n, ld, t, b + begin * ldb, end - begin, ldb);
  });
}

// Solves with a triangle where X is lower triangular, or only its lower triangle matters: block by
// block of columns, from the diagonal on. `forward` equations keep zeros above, others leave what
// is there.
template <typename T>
void solve_lower_part(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t ldb) {
  constexpr int64_t kColumns = 64;
  const int64_t grain = std::max<int64_t>(1, (1 << 20) / (n * n * kColumns + 1));
  parallel_for(0, divup(n, kColumns), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t c = i * kColumns;
      solve_halves(a + c * (ld + 1), n - c, ld, t, b + c * (ldb + 1), std::min(kColumns, n - c),
                   ldb);
    }
  });
}

// Conjugates n elements; nothing for real types. A^H X = B is A^T conj(X) = conj(B).
template <typename T>
void conjugate(T* x, int64_t n) {
  if constexpr (!std::is_floating_point_v<T>) {
    for (int64_t i = 0; i < n; ++i) x[i] = conj_value(x[i]);
  }
}

template <typename T>
int lu_halves(T* a, int64_t m, int64_t n, int64_t ld, int* pivots) {
  constexpr int64_t kPanel = 16;
  if (n <= kPanel) return small_lu(a, m, n, ld, pivots);
  const int64_t first = divup(n / 2, kPanel) * kPanel, rest = n - first;
  T *right = a + first * ld, *corner = right + first;
  int info = lu_halves(a, m, first, ld, pivots);
  small_swap_rows(right, rest, ld, pivots, first);
  solve_triangle(a, first, ld, {false, true}, right, rest, ld);
  subtract_product(a + first, ld, false, right, ld, corner, ld, m - first, rest, first);
  const int below = lu_halves(corner, m - first, rest, ld, pivots + first);
  small_swap_rows(a + first, first, ld, pivots + first, rest);
  for (int64_t i = first; i < n; ++i) pivots[i] += static_cast<int>(first);
  return info != 0 ? info : below != 0 ? below + static_cast<int>(first) : 0;
}

// A = P L U in place, as small_lu.
template <typename T>
int blocked_lu(T* a, int64_t m, int64_t n, int64_t ld, int* pivots) {
  if (m >= n) return lu_halves(a, m, n, ld, pivots);
  const int info = lu_halves(a, m, m, ld, pivots);
  T* right = a + m * ld;
  small_swap_rows(right, n - m, ld, pivots, m);
  solve_triangle(a, m, ld, {false, true}, right, n - m, ld);
  return info;
}

}  // namespace at::native
