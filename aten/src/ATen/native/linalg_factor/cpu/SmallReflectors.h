#pragma once
// Householder reflectors of matrices of up to about 32 x 32, with the conventions of LAPACK's geqrf
// and orgqr. Matrices lie column by column.

#include <algorithm>
#include <cmath>

#include <ATen/native/common/cpu/Lapack.h>
#include <ATen/native/common/cpu/SmallMatrices.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// Whether squares of these numbers neither overflow nor vanish.
template <typename T>
bool squares_are_safe(const T* x, int64_t n) {
  using R = Real<T>;
  const auto* parts = reinterpret_cast<const R*>(x);
  const int64_t count = n * (is_complex_type<T> ? 2 : 1);
  constexpr R kMax = sizeof(R) == 4 ? R(1e15) : R(1e140),
              kMin = sizeof(R) == 4 ? R(1e-12) : R(1e-130);
  // Several maxima make vectors. NaN is as large as any number.
  constexpr int kLanes = 32;
  R lanes[kLanes] = {};
  int64_t i = 0;
  const auto take = [](R& largest, R part) {
    const R size = std::abs(part);
    largest = size > largest ? size : size == size ? largest : kMax;
  };
  for (; i + kLanes <= count; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) take(lanes[k], parts[i + k]);
  }
  for (; i < count; ++i) take(lanes[0], parts[i]);
  const R largest = *std::max_element(lanes, lanes + kLanes);
  return largest < kMax && (largest == 0 || largest > kMin);
}

// Numbers below which squares lose digits, and a factor that keeps them from doing so.
template <typename R>
constexpr R kTinySquares = sizeof(R) == 4 ? R(1e-28) : R(1e-280);
template <typename R>
constexpr R kTinyScale = sizeof(R) == 4 ? R(0x1p80) : R(0x1p600);

// The reflector of a column that begins with `alpha` and has `rest` as the sum of the other
// numbers' squares.
template <typename T>
struct Reflector {
  T tau = T(0), first, scale = T(1);  // R's number, and the factor of the others
  bool is_exact;                      // the squares are not too small

  Reflector(T alpha, Real<T> rest) : first(alpha) {
    const Real<T> size = real_part(alpha * conj_value(alpha));
    is_exact = rest + size >= kTinySquares<Real<T>>;
    if (rest == 0 && size == real_part(alpha) * real_part(alpha)) return;
    const Real<T> norm = std::sqrt(size + rest), beta = real_part(alpha) < 0 ? norm : -norm;
    tau = (T(beta) - alpha) / T(beta);
    scale = T(1) / (alpha - T(beta));
    first = T(beta);
  }
};

// Makes the reflector of a column, of which `rest` is the sum of the squares below its first
// number: that one becomes R's, the others the vector. Returns tau.
template <typename T>
T make_reflector(T* v, int64_t n, Real<T> rest) {
  using R = Real<T>;
  R scaled = 1;
  const auto square = [](T x) { return real_part(x * conj_value(x)); };
  if (rest + square(v[0]) < kTinySquares<R>) {
    scaled = kTinyScale<R>;
    rest = 0;
    for (int64_t i = 0; i < n; ++i) {
      v[i] = v[i] * T(scaled);
      if (i > 0) rest += square(v[i]);
    }
  }
  const Reflector<T> reflector(v[0], rest);
  if (reflector.tau != T(0)) {
    for (int64_t i = 1; i < n; ++i) v[i] = v[i] * reflector.scale;
  }
  v[0] = reflector.first / T(scaled);
  return reflector.tau;
}

// The sum of conj(x[i]) * y[i].
template <typename T>
T scalar_product(const T* x, const T* y, int64_t n) {
  T sum = T(0);
  for (int64_t i = 0; i < n; ++i) sum += conj_value(x[i]) * y[i];
  return sum;
}

// A becomes R, and below it the reflectors.
template <typename T>
void small_geqrf(T* a, int64_t m, int64_t n, int64_t ld, T* tau) {
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    T* v = a + k * (ld + 1);
    const int64_t below = m - k - 1;
    tau[k] = make_reflector(v, below + 1, real_part(scalar_product(v + 1, v + 1, below)));
    if (tau[k] == T(0)) continue;
    for (int64_t j = k + 1; j < n; ++j) {
      T* column = a + k + j * ld;
      const T w = (column[0] + scalar_product(v + 1, column + 1, below)) * conj_value(tau[k]);
      column[0] -= w;
      subtract_scaled(below, v + 1, w, column + 1);
    }
  }
}

// The first n columns of the product of k reflectors, in their place.
template <typename T>
void small_orgqr(T* q, int64_t m, int64_t n, int64_t k, int64_t ld, const T* tau) {
  for (int64_t j = k; j < n; ++j) {
    std::fill_n(q + j * ld, m, T(0));
    q[j * (ld + 1)] = T(1);
  }
  for (int64_t i = k - 1; i >= 0; --i) {
    T* v = q + i * (ld + 1);
    const int64_t below = m - i - 1;
    for (int64_t j = i + 1; j < n; ++j) {
      T* column = q + i + j * ld;
      const T w = (column[0] + scalar_product(v + 1, column + 1, below)) * tau[i];
      column[0] -= w;
      subtract_scaled(below, v + 1, w, column + 1);
    }
    for (int64_t r = 1; r <= below; ++r) v[r] = T(0) - tau[i] * v[r];
    v[0] = T(1) - tau[i];
    std::fill_n(q + i * ld, i, T(0));
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
