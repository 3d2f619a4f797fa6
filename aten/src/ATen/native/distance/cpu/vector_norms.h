#pragma once
// The norms of norms.h for vectors of differences, one for each of several pairs of rows.

#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/distance/norms.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace distances {

template <typename T>
Vec<T> sign_of(Vec<T> d) {
  return where(d > T(0), Vec<T>(T(1)), where(d < T(0), Vec<T>(T(-1)), Vec<T>(T(0))));
}

template <typename T>
struct VectorSum {
  using V = Vec<T>;
  V root(V sum) const { return sum; }
};
template <typename N>
struct VectorNorm;

template <typename T>
struct VectorNorm<Zero<T>> : VectorSum<T> {
  using V = Vec<T>;
  explicit VectorNorm(Zero<T>) {}
  V add(V sum, V d) const { return where(d != T(0), sum + T(1), sum); }
  V slope(V, V) const { return T(0); }
};
template <typename T>
struct VectorNorm<One<T>> : VectorSum<T> {
  using V = Vec<T>;
  explicit VectorNorm(One<T>) {}
  V add(V sum, V d) const { return sum + abs(d); }
  V slope(V d, V) const { return sign_of(d); }
};
template <typename T>
struct VectorNorm<Two<T>> : VectorSum<T> {
  using V = Vec<T>;
  explicit VectorNorm(Two<T>) {}
  V add(V sum, V d) const { return sum + d * d; }
  V root(V sum) const { return sqrt(sum); }
  V slope(V d, V norm) const { return where(norm == T(0), V(T(0)), d / norm); }
};
template <typename T>
struct VectorNorm<Max<T>> : VectorSum<T> {
  using V = Vec<T>;
  explicit VectorNorm(Max<T>) {}
  V add(V sum, V d) const {
    const V size = abs(d);
    return where((size > sum) | (size != size), size, sum);
  }
  V slope(V d, V norm) const { return where(abs(d) == norm, sign_of(d), V(T(0))); }
};
template <typename T>
struct VectorNorm<General<T>> {
  using V = Vec<T>;
  T p;
  explicit VectorNorm(General<T> norm) : p(norm.p) {}
  V add(V sum, V d) const { return sum + pow(abs(d), V(p)); }
  V root(V sum) const { return pow(sum, V(1 / p)); }
  V slope(V d, V norm) const {
    const auto some = (norm != T(0)) & (d != T(0));
    if (!any(some)) return T(0);  // equal rows: a power takes longer than all else
    const V size = pow(abs(d) / norm, V(p - 1));
    return where(some, where(d > T(0), size, -size), V(T(0)));
  }
};

}  // namespace distances
}  // namespace CPU_CAPABILITY
}  // namespace at::native
