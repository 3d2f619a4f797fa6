#pragma once
// Eigenvalues of Hessenberg matrices, by implicit QR sweeps: with two shifts at once for real
// matrices (Francis, "The QR transformation", 1961-62), with one for complex ones.
//
// When a number below the diagonal counts as zero, when shifts are exceptional, and where a sweep
// may begin follow LAPACK's lahqr (Ahues and Tisseur, "A new deflation criterion for the QR
// algorithm", 1997).

#include <algorithm>
#include <cmath>
#include <limits>

#include <ATen/native/linalg_eigen/cpu/Chase.h>
#include <ATen/native/linalg_eigen/cpu/Hessenberg.h>
#include <c10/util/complex_math.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename R>
constexpr R kUlp = std::numeric_limits<R>::epsilon();
constexpr int kMaxSweepsPerValue = 30, kExceptionalSweep = 10;

// The first row of the block that ends with row `last`: above it is a number that counts as zero.
template <typename T>
int64_t start_of_block(const ChasedMatrix<T>& h, Span span, int64_t begin, int64_t last) {
  using R = Real<T>;
  const R tiny = std::numeric_limits<R>::min() * (R(span.end - span.begin) / kUlp<R>);
  for (int64_t k = last; k > begin; --k) {
    const R below = pivot_size(h(k, k - 1));
    if (below <= tiny) return k;
    R size = pivot_size(h(k - 1, k - 1)) + pivot_size(h(k, k));
    if (size == 0) {
      if (k - 2 >= span.begin) size += pivot_size(h(k - 1, k - 2));
      if (k + 1 < span.end) size += pivot_size(h(k + 1, k));
    }
    if (below > kUlp<R> * size) continue;
    const R above = pivot_size(h(k - 1, k)), corner = pivot_size(h(k, k)),
            difference = pivot_size(h(k - 1, k - 1) - h(k, k));
    const R largest = std::max(below, above), smallest = std::min(below, above),
            a = std::max(corner, difference), b = std::min(corner, difference), sum = a + largest;
    if (smallest * (largest / sum) <= std::max(tiny, kUlp<R> * (b * (a / sum)))) return k;
  }
  return begin;
}

// Two shifts, which are real or conjugate.
template <typename R>
struct ShiftPair {
  R real[2], imaginary;

  // The eigenvalues of a block. Of real ones, the one that is nearer to the last number twice.
  ShiftPair(R a, R b, R c, R d) {
    const R scale = std::abs(a) + std::abs(b) + std::abs(c) + std::abs(d);
    real[0] = real[1] = imaginary = 0;
    if (scale == 0) return;
    a /= scale, b /= scale, c /= scale, d /= scale;
    const R half = (a + d) / 2, det = (a - half) * (d - half) - b * c,
            root = std::sqrt(std::abs(det));
    if (det >= 0) {
      real[0] = real[1] = half * scale;
      imaginary = root * scale;
    } else {
      const R first = half + root, second = half - root;
      real[0] = real[1] = (std::abs(first - d) <= std::abs(second - d) ? first : second) * scale;
    }
  }
};

// One sweep over the block of rows [begin, last].
template <typename R>
void sweep(const ChasedMatrix<R>& h, int64_t begin, int64_t last, int number, ChaseStep<R>* steps) {
  R a, b, c, d;
  if (number % (2 * kExceptionalSweep) == kExceptionalSweep) {
    const R s = std::abs(h(begin + 1, begin)) + std::abs(h(begin + 2, begin + 1));
    a = d = R(0.75) * s + h(begin, begin);
    b = R(-0.4375) * s;
    c = s;
  } else if (number > 0 && number % (2 * kExceptionalSweep) == 0) {
    const R s = std::abs(h(last, last - 1)) + std::abs(h(last - 1, last - 2));
    a = d = R(0.75) * s + h(last, last);
    b = R(-0.4375) * s;
    c = s;
  } else {
    a = h(last - 1, last - 1), b = h(last - 1, last), c = h(last, last - 1), d = h(last, last);
  }
  const ShiftPair<R> shifts(a, b, c, d);
  // The sweep begins after two small numbers in a row below the diagonal.
  R x = 0, y = 0, z = 0;
  int64_t first = last - 2;
  for (;; --first) {
    const R corner = h(first, first), below = h(first + 1, first),
            from_second = corner - shifts.real[1],
            s = std::abs(from_second) + std::abs(shifts.imaginary) + std::abs(below),
            scaled = below / s;
    x = scaled * h(first, first + 1) + (corner - shifts.real[0]) * (from_second / s) +
        shifts.imaginary * (shifts.imaginary / s);
    y = scaled * (corner + h(first + 1, first + 1) - shifts.real[0] - shifts.real[1]);
    z = scaled * h(first + 2, first + 1);
    const R size = std::abs(x) + std::abs(y) + std::abs(z);
    x /= size, y /= size, z /= size;
    if (first == begin) break;
    const R near =
        std::abs(h(first - 1, first - 1)) + std::abs(corner) + std::abs(h(first + 1, first + 1));
    if (std::abs(h(first, first - 1)) * (std::abs(y) + std::abs(z)) <= kUlp<R> * std::abs(x) * near)
      break;
  }
  const int64_t end_of_rows = h.vectors() ? h.size() : last + 1;
  for (int64_t k = first; k < last; ++k) {
    const bool is_last = k + 1 == last;
    if (k > first) x = h(k, k - 1), y = h(k + 1, k - 1), z = is_last ? R(0) : h(k + 2, k - 1);
    R& beta = x;
    const ChaseStep<R> step(x, y, z, beta);
    if (k > first) {
      h(k, k - 1) = beta;
      h(k + 1, k - 1) = 0;
      if (!is_last) h(k + 2, k - 1) = 0;
    } else if (k > begin) {
      h(k, k - 1) *= 1 - step.tau;
    }
    h.mix_rows(step, k, k, end_of_rows);
    h.mix_columns(step, k, std::min(k + 4, last + 1));
    steps[k] = step;
  }
  h.finish(steps, first, last, h.vectors() ? 0 : begin);
}

template <typename R>
void sweep(const ChasedMatrix<c10::complex<R>>& h, int64_t begin, int64_t last, int number,
           ChaseStep<c10::complex<R>>* steps) {
  using C = c10::complex<R>;
  C shift = h(last, last);
  if (number % (2 * kExceptionalSweep) == kExceptionalSweep) {
    shift = h(begin, begin) + C(R(0.75) * pivot_size(h(begin + 1, begin)));
  } else if (number > 0 && number % (2 * kExceptionalSweep) == 0) {
    shift = h(last, last) + C(R(0.75) * pivot_size(h(last, last - 1)));
  } else {
    // The eigenvalue of the last block that is nearer to its last number.
    const C product = sqrt(h(last - 1, last)) * sqrt(h(last, last - 1));
    const R size = pivot_size(product);
    if (size != 0) {
      const C half = (h(last - 1, last - 1) - shift) * R(0.5);
      const R scale = std::max(size, pivot_size(half));
      const C u = half / scale, v = product / scale;
      C root = sqrt(u * u + v * v) * scale;
      if (pivot_size(half) > 0 && real_part(u * conj_value(root)) < 0) root = C(0) - root;
      shift -= product * (product / (half + root));
    }
  }
  // The sweep begins after two small numbers in a row below the diagonal.
  int64_t first = last - 1;
  C x, y;
  for (;; --first) {
    x = h(first, first) - shift;
    y = h(first + 1, first);
    const R s = pivot_size(x) + pivot_size(y);
    x = x / s, y = y / s;
    if (first == begin) break;
    const R near = pivot_size(h(first, first)) + pivot_size(h(first + 1, first + 1));
    if (pivot_size(h(first, first - 1)) * pivot_size(y) <= kUlp<R> * pivot_size(x) * near) break;
  }
  const int64_t end_of_rows = h.vectors() ? h.size() : last + 1;
  for (int64_t k = first; k < last; ++k) {
    if (k > first) x = h(k, k - 1), y = h(k + 1, k - 1);
    C length;
    const ChaseStep<C> step(x, y, length);
    if (k > first) {
      h(k, k - 1) = length;
      h(k + 1, k - 1) = C(0);
    } else if (k > begin) {
      h(k, k - 1) *= step.cosine;
    }
    h.mix_rows(step, k, k, end_of_rows);
    h.mix_columns(step, k, std::min(k + 3, last + 1));
    steps[k] = step;
  }
  h.finish(steps, first, last, h.vectors() ? 0 : begin);
}

// Makes H triangular; of a real matrix, with blocks of 2 x 2 on the diagonal. Returns 0, or the
// number of values that did not converge.
template <typename T>
int make_triangular(const ChasedMatrix<T>& h, Span span) {
  constexpr int64_t kBlock = is_complex_type<T> ? 1 : 2;
  const Scratch<ChaseStep<T>> steps(h.size());
  const int64_t max_sweeps = kMaxSweepsPerValue * std::max<int64_t>(10, span.end - span.begin);
  int64_t left = max_sweeps;
  for (int64_t last = span.end - 1; last >= span.begin;) {
    int64_t begin = span.begin;
    for (int number = 0;; ++number) {
      begin = start_of_block(h, span, begin, last);
      if (begin > span.begin) h(begin, begin - 1) = T(0);
      if (begin + kBlock > last) break;
      if (left-- == 0) return static_cast<int>(last + 1);
      sweep(h, begin, last, number, steps.get());
    }
    last = begin - 1;
  }
  return 0;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
