#pragma once
// Real transforms whose length is a power of two, one in each lane: a complex transform of half the
// length, of which the even places are the real parts and the odd ones the imaginary parts
// (W. Press et al., "Numerical Recipes", 12.3).

#include <cmath>
#include <vector>

#include <ATen/native/fft/cpu/radix.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
class RealRadixPlan {
 public:
  using Complex = typename RadixPlan<T>::Complex;
  using V = typename RadixPlan<T>::V;
  static constexpr int kLanes = RadixPlan<T>::kLanes;

  static bool takes(int64_t n) { return n % 2 == 0 && RadixPlan<T>::takes(n / 2); }

  RealRadixPlan(size_t n, bool) : m_(n / 2), half_(n / 2, false), roots_(m_ / 2 + 1) {
    for (size_t k = 0; k < roots_.size(); ++k) {
      const long double angle =
          6.283185307179586476925L * static_cast<long double>(k) / static_cast<long double>(n);
      roots_[k] = {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
    }
  }
  // For n / 2 + 1 values and the buffer of the complex transform.
  size_t bufsize() const { return m_ + 1 + half_.bufsize(); }

  // Replaces x, n real numbers, by n / 2 + 1 values; returns the buffer that holds them.
  Complex* forward(Complex* x, Complex* scratch, T scale) const {
    const Complex* z = half_.exec(x, scratch + m_ + 1, scale, true);
    Complex* y = scratch;
    y[0] = {z[0].r + z[0].i, V{}};
    y[m_] = {z[0].r - z[0].i, V{}};
    for (size_t k = 1; 2 * k <= m_; ++k) {
      const Complex a = z[k], b = z[m_ - k];
      const Root w = roots_[k];
      // The transforms of the even and of the odd places.
      const V even_r = (a.r + b.r) * T(0.5), even_i = (a.i - b.i) * T(0.5);
      const V odd_r = (a.i + b.i) * T(0.5), odd_i = (b.r - a.r) * T(0.5);
      const V turned_r = odd_r * w.c + odd_i * w.s, turned_i = odd_i * w.c - odd_r * w.s;
      y[k] = {even_r + turned_r, even_i + turned_i};
      y[m_ - k] = {even_r - turned_r, turned_i - even_i};
    }
    return y;
  }

  // The opposite, not divided by n. The imaginary parts of the first and the last value count as 0.
  Complex* backward(const Complex* x, Complex* z, Complex* scratch, T scale) const {
    z[0] = {x[0].r + x[m_].r, x[0].r - x[m_].r};
    for (size_t k = 1; 2 * k <= m_; ++k) {
      const Complex a = x[k], b = x[m_ - k];
      const Root w = roots_[k];
      const V sum_r = a.r + b.r, sum_i = a.i - b.i, less_r = a.r - b.r, less_i = a.i + b.i;
      const V turned_r = less_r * w.s + less_i * w.c, turned_i = less_r * w.c - less_i * w.s;
      z[k] = {sum_r - turned_r, sum_i + turned_i};
      z[m_ - k] = {sum_r + turned_r, turned_i - sum_i};
    }
    return half_.exec(z, scratch, scale, false);
  }

 private:
  struct Root {
    T c, s;
  };
  size_t m_;
  RadixPlan<T> half_;
  std::vector<Root> roots_;
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
