#pragma once
// Complex transforms whose length is a power of two, one in each lane of the widest vectors:
// Stockham's algorithm with radix 4 (C. Van Loan, "Computational frameworks for the fast Fourier
// transform", 1.7). It needs no reordering, since each pass writes to the other of two buffers.

#include <cmath>
#include <utility>
#include <vector>

#include <ATen/native/common/cpu/Vec.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
class RadixPlan {
 public:
  static constexpr int kLanes = kVecBytes / sizeof(T);
  typedef T V __attribute__((vector_size(kVecBytes)));
  struct Complex {
    V r, i;
  };

  static bool takes(int64_t n) { return n >= 2 && n <= 1024 && (n & (n - 1)) == 0; }

  RadixPlan(size_t n, bool) : n_(n), roots_(n) {
    for (size_t k = 0; k < n; ++k) {
      const long double angle =
          6.283185307179586476925L * static_cast<long double>(k) / static_cast<long double>(n);
      roots_[k] = {static_cast<T>(std::cos(angle)), static_cast<T>(-std::sin(angle))};
    }
  }
  // The second buffer does not begin at a multiple of 4 KiB from the first, where loads wait for
  // stores of the other.
  size_t bufsize() const { return n_ + kPad; }

  // Returns the buffer that holds the result.
  Complex* exec(Complex* x, Complex* scratch, T scale, bool forward) const {
    return forward ? run<true>(x, scratch + kPad, scale) : run<false>(x, scratch + kPad, scale);
  }

 private:
  static constexpr size_t kPad = 9;
  struct Root {
    T r, i;
  };

  template <bool forward>
  static Complex times_root(Complex a, Root w) {
    const T s = forward ? w.i : -w.i;
    return {a.r * w.r - a.i * s, a.r * s + a.i * w.r};
  }

  template <bool forward>
  Complex* run(Complex* x, Complex* y, T scale) const {
    size_t n = n_, s = 1;
    if (n == 2) {
      y[0] = {(x[0].r + x[1].r) * scale, (x[0].i + x[1].i) * scale};
      y[1] = {(x[0].r - x[1].r) * scale, (x[0].i - x[1].i) * scale};
      return y;
    }
    for (; n > 8; n /= 4, s *= 4) {
      quarter<forward>(n / 4, s, x, y);
      std::swap(x, y);
    }
    if (n == 8) {
      half<forward>(4, s, x, y);
      std::swap(x, y);
      s *= 2;
    }
    last<forward>(s, x, y, scale);
    return y;
  }

  template <bool forward>
  struct Butterfly {
    Complex y0, y1, y2, y3;
    Butterfly(const Complex& a, const Complex& b, const Complex& c, const Complex& d) {
      const V sum_r = a.r + c.r, sum_i = a.i + c.i, other_r = b.r + d.r, other_i = b.i + d.i;
      const V less_r = a.r - c.r, less_i = a.i - c.i;
      // (b - d) times -i forward, i backward
      const V rotated_r = forward ? b.i - d.i : d.i - b.i,
              rotated_i = forward ? d.r - b.r : b.r - d.r;
      y0 = {sum_r + other_r, sum_i + other_i};
      y1 = {less_r + rotated_r, less_i + rotated_i};
      y2 = {sum_r - other_r, sum_i - other_i};
      y3 = {less_r - rotated_r, less_i - rotated_i};
    }
  };

  // One pass with radix 4: sequences of length 4 m at a distance of s.
  template <bool forward>
  void quarter(size_t m, size_t s, const Complex* __restrict x, Complex* __restrict y) const {
    for (size_t p = 0; p < m; ++p) {
      const Root w1 = roots_[p * s], w2 = roots_[2 * p * s], w3 = roots_[3 * p * s];
      const Complex* in = x + s * p;
      Complex* out = y + 4 * s * p;
      for (size_t q = 0; q < s; ++q) {
        const Butterfly<forward> b(in[q], in[q + s * m], in[q + 2 * s * m], in[q + 3 * s * m]);
        out[q] = b.y0;
        out[q + s] = times_root<forward>(b.y1, w1);
        out[q + 2 * s] = times_root<forward>(b.y2, w2);
        out[q + 3 * s] = times_root<forward>(b.y3, w3);
      }
    }
  }

  // One pass with radix 2, for odd powers of 2.
  template <bool forward>
  void half(size_t m, size_t s, const Complex* __restrict x, Complex* __restrict y) const {
    for (size_t p = 0; p < m; ++p) {
      const Root w = roots_[p * s];
      for (size_t q = 0; q < s; ++q) {
        const Complex a = x[q + s * p], b = x[q + s * (p + m)];
        y[q + 2 * s * p] = {a.r + b.r, a.i + b.i};
        y[q + 2 * s * p + s] = times_root<forward>({a.r - b.r, a.i - b.i}, w);
      }
    }
  }

  // The last pass with radix 4 has no factors but the scale.
  template <bool forward>
  static void last(size_t s, const Complex* __restrict x, Complex* __restrict y, T scale) {
    for (size_t q = 0; q < s; ++q) {
      const Butterfly<forward> b(x[q], x[q + s], x[q + 2 * s], x[q + 3 * s]);
      y[q] = {b.y0.r * scale, b.y0.i * scale};
      y[q + s] = {b.y1.r * scale, b.y1.i * scale};
      y[q + 2 * s] = {b.y2.r * scale, b.y2.i * scale};
      y[q + 3 * s] = {b.y3.r * scale, b.y3.i * scale};
    }
  }

  size_t n_;
  std::vector<Root> roots_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
