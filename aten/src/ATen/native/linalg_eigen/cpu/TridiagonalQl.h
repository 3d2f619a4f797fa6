#pragma once
// Eigenvalues and eigenvectors of small tridiagonal matrices, by the implicit QL method (Dubrulle,
// Martin and Wilkinson, "The implicit QL algorithm", 1968). A sweep's rotations are applied to the
// vectors together: a register of rows at a time walks through all columns.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/linalg_factor/cpu/SmallReflectors.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The length of a vector; 0 where it has no digits left.
template <typename R>
R length_of(R x, R y) {
  const R squares = x * x + y * y;
  if (C10_LIKELY(squares > kTinySquares<R>)) return std::sqrt(squares);
  const R length = std::hypot(x, y);
  return length < std::numeric_limits<R>::min() ? R(0) : length;
}

template <typename R>
struct Rotation {
  R cosine, sine;
};

// Rotates columns first and first + 1, ..., from the last pair to the first one. `rows` numbers in
// each column, which are `rows` apart.
template <typename R>
void rotate_columns(R* columns, int64_t rows, const Rotation<R>* rotations, int64_t first,
                    int64_t last) {
  using V = Vec<R>;
  for (int64_t r = 0; r < rows; r += V::size) {
    const int64_t count = std::min<int64_t>(V::size, rows - r);
    const auto load = [&](const R* p) { return count == V::size ? V::load(p) : V::load(p, count); };
    const auto store = [&](V v, R* p) { count == V::size ? v.store(p) : v.store(p, count); };
    V shared = load(columns + last * rows + r);
    for (int64_t i = last - 1; i >= first; --i) {
      const V c(rotations[i].cosine), s(rotations[i].sine), x = load(columns + i * rows + r);
      store(s * x + c * shared, columns + (i + 1) * rows + r);
      shared = c * x - s * shared;
    }
    store(shared, columns + first * rows + r);
  }
}

// The diagonal becomes the eigenvalues in ascending order; `vectors`, n columns of `rows` numbers,
// are multiplied by the eigenvectors. Returns 0, or the number of values that did not converge.
template <typename R>
int tridiagonal_ql(int64_t n, R* diagonal, R* beside, R* vectors, int64_t rows) {
  const Scratch<Rotation<R>> rotations(n);
  R *d = diagonal, *e = beside;
  // Small numbers at the top keep their digits.
  if (std::abs(d[n - 1]) < std::abs(d[0])) {
    std::reverse(d, d + n);
    std::reverse(e, e + n - 1);
    for (int64_t j = 0; j < n / 2; ++j)
      std::swap_ranges(vectors + j * rows, vectors + (j + 1) * rows, vectors + (n - 1 - j) * rows);
  }
  constexpr R kEpsilon = std::numeric_limits<R>::epsilon() / 2;
  R norm = 0;
  for (int64_t i = 0; i < n; ++i)
    norm = std::max(norm, std::abs(d[i]) + (i + 1 < n ? std::abs(e[i]) : R(0)));
  // Numbers beside the diagonal that are small beside their neighbours count as zero; after some
  // sweeps, those that are small beside the whole matrix: large neighbours can keep them from
  // becoming smaller.
  constexpr int kPatience = 6, kMaxSweeps = 60;
  for (int64_t l = 0; l < n; ++l) {
    for (int sweep = 0;; ++sweep) {
      const R floor = sweep < kPatience ? R(0) : kEpsilon * norm;
      int64_t m = l;
      while (m + 1 < n &&
             std::abs(e[m]) > std::max(floor, kEpsilon * (std::abs(d[m]) + std::abs(d[m + 1]))))
        ++m;
      if (m == l) break;
      if (sweep == kMaxSweeps) return static_cast<int>(n - l);
      // Wilkinson's shift.
      const R ratio = (d[l + 1] - d[l]) / (2 * e[l]);
      R g = d[m] - d[l] + e[l] / (ratio + std::copysign(std::sqrt(ratio * ratio + 1), ratio));
      R sine = 1, cosine = 1, shift = 0;
      int64_t i = m - 1;
      for (; i >= l; --i) {
        const R f = sine * e[i], b = cosine * e[i], r = length_of(f, g);
        e[i + 1] = r;
        if (r == 0) break;
        sine = f / r;
        cosine = g / r;
        rotations[i] = {cosine, sine};
        g = d[i + 1] - shift;
        const R q = (d[i] - g) * sine + 2 * cosine * b;
        shift = sine * q;
        d[i + 1] = g + shift;
        g = cosine * q - b;
      }
      rotate_columns(vectors, rows, rotations.get(), i + 1, m);
      e[m] = 0;
      if (i >= l) {  // the matrix fell apart
        d[i + 1] -= shift;
        continue;
      }
      d[l] -= shift;
      e[l] = g;
    }
  }
  for (int64_t j = 0; j + 1 < n; ++j) {
    const int64_t smallest = std::min_element(d + j, d + n) - d;
    if (smallest == j) continue;
    std::swap(d[j], d[smallest]);
    std::swap_ranges(vectors + j * rows, vectors + (j + 1) * rows, vectors + smallest * rows);
  }
  return 0;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
