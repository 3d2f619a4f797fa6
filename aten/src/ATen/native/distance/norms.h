#pragma once
// The norms of differences that distances are made of.

#include <cmath>
#include <cstdint>

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace distances {

// Absolute values of a number, or of the numbers of a vector.
template <typename V>
C10_HOST_DEVICE V size_of(V d) {
  return d < 0 ? -d : d;
}

// A norm: `add` one difference to a sum, also for vectors of them; then `root` of
// the sum. `slope` is the derivative of the norm along one difference, given the norm.
template <typename T>
struct Sum {
  static constexpr bool kVectors = true;
  C10_HOST_DEVICE T root(T sum) const { return sum; }
};
template <typename T>
struct Zero : Sum<T> {
  template <typename V>
  C10_HOST_DEVICE V add(V sum, V d) const {
    return d != 0 ? sum + 1 : sum;
  }
  C10_HOST_DEVICE T slope(T, T) const { return 0; }
};
template <typename T>
struct One : Sum<T> {
  template <typename V>
  C10_HOST_DEVICE V add(V sum, V d) const {
    return sum + size_of(d);
  }
  C10_HOST_DEVICE T slope(T d, T) const { return T((d > 0) - (d < 0)); }
};
template <typename T>
struct Two : Sum<T> {
  template <typename V>
  C10_HOST_DEVICE V add(V sum, V d) const {
    return sum + d * d;
  }
  C10_HOST_DEVICE T root(T sum) const { return std::sqrt(sum); }
  C10_HOST_DEVICE T slope(T d, T norm) const { return norm == 0 ? T(0) : d / norm; }
};
// NaN is larger than all numbers.
template <typename T>
struct Max : Sum<T> {
  C10_HOST_DEVICE T add(T sum, T d) const {
    const T size = size_of(d);
    return size > sum || size != size ? size : sum;
  }
  C10_HOST_DEVICE T slope(T d, T norm) const {
    return T((d > 0) - (d < 0)) * T(std::abs(d) == norm);
  }
};
template <typename T>
struct General {
  static constexpr bool kVectors = false;
  T p;
  C10_HOST_DEVICE T add(T sum, T d) const { return sum + std::pow(std::abs(d), p); }
  C10_HOST_DEVICE T root(T sum) const { return std::pow(sum, 1 / p); }
  C10_HOST_DEVICE T slope(T d, T norm) const {
    if (norm == 0 || d == 0) return 0;
    const T size = std::pow(std::abs(d) / norm, p - 1);
    return d > 0 ? size : -size;
  }
};

// The number of pairs i < j before those of row i, among n rows.
C10_HOST_DEVICE inline int64_t pairs_before(int64_t i, int64_t n) {
  return i * (2 * n - i - 1) / 2;
}

}  // namespace distances
}  // namespace CPU_CAPABILITY
}  // namespace at::native
