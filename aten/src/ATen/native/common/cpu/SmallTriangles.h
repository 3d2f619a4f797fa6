#pragma once
// Triangular equations with up to kSmallMatrix unknowns. Matrices lie column by column.

#include <algorithm>
#include <type_traits>

#include <ATen/native/common/TransposeStub.h>
#include <ATen/native/common/WithConstant.h>
#include <ATen/native/common/cpu/Lanes.h>
#include <ATen/native/common/cpu/SmallMatrices.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

struct Triangle {
  bool upper, unit;
  bool transpose = false;
  // Whether the first unknown is determined first.
  bool forward() const { return upper == transpose; }
};

// The sum of x[i] * y[i].
template <typename T>
T dot(const T* x, const T* y, int64_t n) {
  using L = Lane<T>;
  T sum = T(0);
  int64_t i = 0;
  if (n >= L::kCount) {
    LaneSum<T> first, second;
    for (; i + 2 * L::kCount <= n; i += 2 * L::kCount) {
      first.add(L::load(x + i), L::load(y + i));
      second.add(L::load(x + i + L::kCount), L::load(y + i + L::kCount));
    }
    if (i + L::kCount <= n) {
      first.add(L::load(x + i), L::load(y + i));
      i += L::kCount;
    }
    first += second;
    sum = first.value(false);
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

// Sums of rows times factors, of as many numbers as the vectors hold. Products with the imaginary
// parts of factors have sums of their own, whose parts are exchanged at the end.
template <typename T, int kVectors>
struct RowSums {
  using L = Lane<T>;
  using R = Real<T>;
  static constexpr int64_t kColumns = kVectors * L::kCount;
  typename L::Vector real[kVectors]{}, imaginary[L::kParts == 2 ? kVectors : 0]{};

  void add(T factor, const T* row) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const auto x = L::load(row + v * L::kCount);
      if constexpr (L::kParts == 1) {
        real[v] += x * factor;
      } else {
        real[v] += x * factor.real();
        imaginary[v] += x * factor.imag();
      }
    }
  }
  typename L::Vector value(int v) const {
    if constexpr (L::kParts == 1) {
      return real[v];
    } else {
      typename L::Vector signs;
      for (int i = 0; i < L::kLanes; ++i) signs[i] = i % 2 ? R(1) : R(-1);
      return real[v] + signs * L::swapped(imaginary[v]);
    }
  }
};

// The equations of kVectors vectors of columns, which lie row by row.
template <int kVectors, typename T>
void solve_rows(const T* a, int64_t n, int64_t ld, Triangle t, T* rows) {
  using L = Lane<T>;
  using Sums = RowSums<T, kVectors>;
  const int64_t down = t.transpose ? ld : 1, across = t.transpose ? 1 : ld;
  for (int64_t s = 0; s < n; ++s) {
    const int64_t k = t.forward() ? s : n - 1 - s;
    const int64_t begin = t.forward() ? 0 : k + 1, end = t.forward() ? k : n;
    const T* factors = a + k * down;
    // Two chains of additions hide the time that one takes.
    Sums even, odd;
    int64_t j = begin;
    for (; j + 2 <= end; j += 2) {
      even.add(factors[j * across], rows + j * Sums::kColumns);
      odd.add(factors[(j + 1) * across], rows + (j + 1) * Sums::kColumns);
    }
    if (j < end) even.add(factors[j * across], rows + j * Sums::kColumns);
    const LaneFactor<T> inverse(t.unit ? T(1) : T(1) / a[k * (ld + 1)]);
    T* row = rows + k * Sums::kColumns;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const auto x = L::load(row + v * L::kCount) - (even.value(v) + odd.value(v));
      L::store(t.unit ? x : inverse.times(x), row + v * L::kCount);
    }
  }
}

// For many columns: some of them lie side by side in a buffer, so that every step works on all of
// them at once.
template <typename T>
void solve_side_by_side(const T* a, int64_t n, int64_t ld, Triangle t, T* b, int64_t columns,
                        int64_t ldb) {
  using L = Lane<T>;
  constexpr int kMaxVectors = L::kParts == 1 ? 4 : 2;
  constexpr int64_t kMaxColumns = kMaxVectors * L::kCount, kItem = sizeof(T);
  alignas(64) char buffer[kSmallMatrix * kMaxColumns * kItem];
  for (int64_t c = 0; c < columns;) {
    const int64_t width = std::min(kMaxColumns, columns - c);
    const int64_t vectors = (width + L::kCount - 1) / L::kCount;
    const int64_t row_bytes = vectors * L::kCount * kItem;
    char* block = reinterpret_cast<char*>(b + c * ldb);
    if (width % L::kCount != 0) std::fill_n(buffer, n * row_bytes, 0);
    transpose_copy_stub.cpu()(buffer, row_bytes, block, ldb * kItem, width, n, kItem);
    with_constant<1, kMaxVectors>(vectors,
                                  [&]<int kVectors>(std::integral_constant<int, kVectors>) {
      solve_rows<kVectors>(a, n, ld, t, reinterpret_cast<T*>(buffer));
    });
    transpose_copy_stub.cpu()(block, ldb * kItem, buffer, row_bytes, n, width, kItem);
    c += width;
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

}  // namespace CPU_CAPABILITY
}  // namespace at::native
