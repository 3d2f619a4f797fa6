#pragma once
// Eigenvalues and eigenvectors from H, once QR sweeps have made it triangular.

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/cpu/SmallTriangles.h>
#include <ATen/native/linalg_eigen/cpu/QrSweeps.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// A block (a, b; c, d) on the diagonal of a real matrix: its eigenvalues, and a vector of length
// one for the first.
template <typename R>
struct DiagonalBlock {
  using C = c10::complex<R>;
  C first, second, vector[2];

  DiagonalBlock(R a, R b, R c, R d) {
    const R half = (a - d) / 2, scale = std::max({std::abs(half), std::abs(b), std::abs(c)});
    const R square = scale == 0 ? R(0) : half * (half / scale) + b * (c / scale);
    const R root = std::sqrt(scale) * std::sqrt(std::abs(square));
    if (square >= 0) {
      const R z = half + std::copysign(root, half);
      first = C(d + z);
      second = C(z == 0 ? d : d - b * (c / z));
    } else {
      first = C((a + d) / 2, root);
      second = conj_value(first);
    }
    // Either row of the block less the value has this direction; the larger one keeps its digits.
    const C from_above[2] = {C(b), first - C(a)}, from_below[2] = {first - C(d), C(c)};
    const bool above = pivot_size(from_above[0]) + pivot_size(from_above[1]) >=
                       pivot_size(from_below[0]) + pivot_size(from_below[1]);
    const C* v = above ? from_above : from_below;
    const R size = pivot_size(v[0]) + pivot_size(v[1]);
    if (size == 0) {
      vector[0] = C(1);
      vector[1] = C(0);
      return;
    }
    const C x = v[0] / size, y = v[1] / size;
    const R length = std::sqrt(real_part(x * conj_value(x)) + real_part(y * conj_value(y)));
    vector[0] = x / length;
    vector[1] = y / length;
  }
};

template <typename R>
bool starts_block(const ChasedMatrix<R>& h, int64_t i) {
  return i + 1 < h.size() && h(i + 1, i) != 0;
}
template <typename R>
bool starts_block(const ChasedMatrix<c10::complex<R>>&, int64_t) {
  return false;
}

template <typename T>
void eigenvalues_of(const ChasedMatrix<T>& h, c10::complex<Real<T>>* values) {
  for (int64_t i = 0; i < h.size(); ++i) {
    values[i] = h(i, i);
    if constexpr (!is_complex_type<T>) {
      if (!starts_block(h, i)) continue;
      const DiagonalBlock<T> block(h(i, i), h(i, i + 1), h(i + 1, i), h(i + 1, i + 1));
      values[i] = block.first;
      values[++i] = block.second;
    }
  }
}

// Eigenvectors of an upper triangular complex matrix, which lies row by row: back substitution with
// several values side by side.
template <typename R>
class TriangleVectors {
  using C = c10::complex<R>;
  using L = Lane<C>;
  static constexpr int kVectors = 4;

 public:
  static constexpr int64_t kColumns = kVectors * L::kCount;

  TriangleVectors(const C* t, int64_t n, int64_t ld) : t_(t), n_(n), ld_(ld) {}

  // The vectors of values rows[0], ..., in ascending order, as columns of x, which has zeros. There
  // may be fewer than kColumns.
  void solve(const int64_t* rows, int64_t count, C* x, int64_t ldx) const {
    for (int64_t j = rows[count - 1]; j >= 0; --j) {
      RowSums<C, kVectors> sums;
      for (int64_t k = j + 1; k <= rows[count - 1]; ++k) sums.add(t_[j * ld_ + k], x + k * ldx);
      C* row = x + j * ldx;
      C sum[kColumns];
      for (int v = 0; v < kVectors; ++v) L::store(sums.value(v), sum + v * L::kCount);
      for (int64_t c = 0; c < count; ++c) {
        if (j < rows[c]) row[c] = quotient(sum[c], j, rows[c], x + c, ldx);
        else if (j == rows[c]) row[c] = C(1);
      }
    }
  }

 private:
  // Numbers above this are scaled down together with their column.
  static constexpr R kLarge = sizeof(R) == 4 ? R(0x1p40) : R(0x1p400);

  // -sum / (t[j, j] - value), where a difference without digits is replaced by the smallest one
  // that has some. The column is scaled if that would overflow.
  C quotient(C sum, int64_t j, int64_t value, C* column, int64_t ldx) const {
    const C d = t_[j * (ld_ + 1)] - t_[value * (ld_ + 1)];
    const R smallest = std::max(kUlp<R> * pivot_size(t_[value * (ld_ + 1)]),
                                std::numeric_limits<R>::min() * (R(n_) / kUlp<R>));
    R real = d.real(), imaginary = d.imag(), size = std::abs(real) + std::abs(imaginary);
    if (size < smallest) real = size = smallest, imaginary = 0;
    const R largest = pivot_size(sum);
    if (C10_UNLIKELY(size < 1 && largest > kLarge * size)) {
      scale(column, j, value, ldx, 1 / largest);
      sum = sum / largest;
      // Again, if it still is too large.
      if (1 > kLarge * size) {
        scale(column, j, value, ldx, size);
        sum = sum * size;
      }
    }
    real /= size;
    imaginary /= size;
    const R factor = -1 / (size * (real * real + imaginary * imaginary));
    C x = sum * C(real, -imaginary) * factor;
    if (C10_UNLIKELY(pivot_size(x) > kLarge)) {
      const R down = 1 / pivot_size(x);
      scale(column, j, value, ldx, down);
      x = x * down;
    }
    return x;
  }
  static void scale(C* column, int64_t j, int64_t last, int64_t ldx, R factor) {
    for (int64_t k = j + 1; k <= last; ++k) column[k * ldx] = column[k * ldx] * factor;
  }

  const C* t_;
  int64_t n_, ld_;
};

// The rows of (Z X)^T, `count` of n numbers, for X of n rows that are `ldx` apart.
template <typename T>
void multiply_rows(const T* x, int64_t ldx, const ChasedMatrix<T>& h, T* result, int64_t count) {
  GemmArgs g{c10::CppTypeToScalarType<T>::value};
  g.trans_a = true;
  g.m = count;
  g.n = g.k = h.size();
  g.a = x;
  g.lda = ldx;
  g.b = h.z();
  g.ldb = h.ldz();
  g.c = result;
  g.ldc = h.size();
  gemm(g);
}

// Makes a vector as long as one. Its largest number becomes real; of a vector from a real matrix,
// without a change of sign.
template <typename R>
void normalize(c10::complex<R>* v, int64_t n, bool keep_sign) {
  using C = c10::complex<R>;
  R size = 0;
  for (int64_t i = 0; i < n; ++i)
    size = std::max({size, std::abs(v[i].real()), std::abs(v[i].imag())});
  if (size == 0) return;
  const R scale = 1 / size;
  R squares = 0, largest = -1;
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    v[i] = v[i] * scale;
    const R square = real_part(v[i] * conj_value(v[i]));
    squares += square;
    if (square > largest) largest = square, at = i;
  }
  const R length = std::sqrt(largest);
  C factor(v[at].real() / length, -v[at].imag() / length);
  if (keep_sign && v[at].real() < 0) factor = C(0) - factor;
  factor = factor / std::sqrt(squares);
  for (int64_t i = 0; i < n; ++i) v[i] = v[i] * factor;
  v[at] = C(v[at].real());
}

// Columns of `vectors` become Z times the eigenvectors of H, of any length. Only the first vector
// of a conjugate pair is computed.
template <typename R>
void schur_vectors(const ChasedMatrix<R>& h, const c10::complex<R>* values,
                   c10::complex<R>* vectors) {
  using C = c10::complex<R>;
  const int64_t n = h.size();
  // A triangular T, and the rotations that make it from blocks.
  const Scratch<C> t(n * n), rotations(2 * n);
  const Scratch<int64_t> rows(n);
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) t[i * n + j] = C(h(i, j));
  }
  for (int64_t i = 0; i < n; ++i) {
    rows[count++] = i;
    if (!starts_block(h, i)) continue;
    const DiagonalBlock<R> block(h(i, i), h(i, i + 1), h(i + 1, i), h(i + 1, i + 1));
    const C a = block.vector[0], b = block.vector[1];
    rotations[2 * i] = a;
    rotations[2 * i + 1] = b;
    C *first = t.get() + i * n, *second = first + n;
    for (int64_t j = i; j < n; ++j) {
      const C x = conj_value(a) * first[j] + conj_value(b) * second[j];
      second[j] = a * second[j] - b * first[j];
      first[j] = x;
    }
    for (int64_t k = 0; k < i + 2; ++k) {
      C* row = t.get() + k * n + i;
      const C x = row[0] * a + row[1] * b;
      row[1] = row[1] * conj_value(a) - row[0] * conj_value(b);
      row[0] = x;
    }
    first[i] = block.first;
    second[i + 1] = block.second;
    second[i] = C(0);
    if (block.first.imag() == 0) rows[count++] = i + 1;
    ++i;
  }
  using Solver = TriangleVectors<R>;
  const int64_t ldx = divup(count, Solver::kColumns) * Solver::kColumns;
  const Scratch<C> x(n * ldx);
  std::fill_n(x.get(), n * ldx, C(0));
  const Solver solver(t.get(), n, n);
  for (int64_t c = 0; c < count; c += Solver::kColumns)
    solver.solve(rows.get() + c, std::min(Solver::kColumns, count - c), x.get() + c, ldx);
  for (int64_t i = 0; i + 1 < n; ++i) {
    const C a = rotations[2 * i], b = rotations[2 * i + 1];
    if (!starts_block(h, i)) continue;
    C *first = x.get() + i * ldx, *second = first + ldx;
    for (int64_t c = 0; c < count; ++c) {
      const C v = a * first[c] - conj_value(b) * second[c];
      second[c] = b * first[c] + conj_value(a) * second[c];
      first[c] = v;
    }
  }
  // Real and imaginary parts are columns of their own, so that the product is one of real numbers.
  const Scratch<R> parts(n * 2 * count), product(n * 2 * count);
  for (int64_t i = 0; i < n; ++i) {
    R* row = parts.get() + i * 2 * count;
    for (int64_t c = 0; c < count; ++c) {
      row[c] = x[i * ldx + c].real();
      row[count + c] = x[i * ldx + c].imag();
    }
  }
  multiply_rows(parts.get(), 2 * count, h, product.get(), 2 * count);
  for (int64_t c = 0; c < count; ++c) {
    const R *real = product.get() + c * n, *imaginary = product.get() + (count + c) * n;
    C* vector = vectors + rows[c] * n;
    const bool is_real = values[rows[c]].imag() == 0;
    for (int64_t i = 0; i < n; ++i) vector[i] = C(real[i], is_real ? R(0) : imaginary[i]);
  }
}

template <typename R>
void schur_vectors(const ChasedMatrix<c10::complex<R>>& h, const c10::complex<R>*,
                   c10::complex<R>* vectors) {
  using C = c10::complex<R>;
  using Solver = TriangleVectors<R>;
  const int64_t n = h.size(), ldx = divup(n, Solver::kColumns) * Solver::kColumns;
  const Scratch<C> x(n * ldx);
  const Scratch<int64_t> rows(n);
  std::fill_n(x.get(), n * ldx, C(0));
  for (int64_t i = 0; i < n; ++i) rows[i] = i;
  const Solver solver(h.row(0), n, h.row(1) - h.row(0));
  for (int64_t c = 0; c < n; c += Solver::kColumns)
    solver.solve(rows.get() + c, std::min(Solver::kColumns, n - c), x.get() + c, ldx);
  multiply_rows(x.get(), ldx, h, vectors, n);
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
