#pragma once
// Sampling on a grid: the elements of an image that contribute to a sample, with their weights and
// the derivatives of these.

#include <cmath>

#include <ATen/native/grid_sampler/grid_sampler.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// A coordinate and its derivative with respect to the grid's value.
template <typename T>
struct Coordinate {
  T at, slope;
};

template <typename T>
C10_HOST_DEVICE Coordinate<T> unnormalize(T x, int64_t size, bool align_corners) {
  T s = static_cast<T>(size);
  return align_corners ? Coordinate<T>{(x + 1) / 2 * (s - 1), (s - 1) / 2}
                       : Coordinate<T>{((x + 1) * s - 1) / 2, s / 2};
}

template <typename T>
C10_HOST_DEVICE Coordinate<T> clip(Coordinate<T> p, int64_t size) {
  T max = static_cast<T>(size - 1);
  if (!(p.at > 0)) return {0, 0};
  return p.at >= max ? Coordinate<T>{max, 0} : p;
}

template <typename T>
C10_HOST_DEVICE Coordinate<T> reflect(Coordinate<T> p, T twice_low, T twice_high) {
  if (twice_low == twice_high) return {0, 0};
  T low = twice_low / 2, span = (twice_high - twice_low) / 2, x = p.at - low, slope = p.slope;
  if (x < 0) {
    x = -x;
    slope = -slope;
  }
  T extra = std::fmod(x, span);
  bool odd = static_cast<int64_t>(std::floor(x / span)) % 2 != 0;
  return odd ? Coordinate<T>{span - extra + low, -slope} : Coordinate<T>{extra + low, slope};
}

template <typename T>
C10_HOST_DEVICE Coordinate<T> source_coordinate(T x, int64_t size, int64_t padding,
                                                bool align_corners) {
  Coordinate<T> p = unnormalize(x, size, align_corners);
  if (padding == kBorder) {
    p = clip(p, size);
  } else if (padding == kReflection) {
    p = align_corners ? reflect(p, T(0), static_cast<T>(2 * (size - 1)))
                      : reflect(p, T(-1), static_cast<T>(2 * size - 1));
    p = clip(p, size);
  }
  // A coordinate that no integer can represent is outside in any case.
  if (!(p.at > T(-1e9) && p.at < T(1e9))) p = {T(-100), 0};
  return p;
}

// The elements that contribute to one sample along one dimension: at most four, with weights and
// their derivatives.
template <typename T>
struct Taps {
  int n = 0;
  int64_t index[4];  // -1: outside
  T weight[4], slope[4];
};

template <typename T>
C10_HOST_DEVICE Taps<T> taps_for(T x, int64_t size, int64_t mode, int64_t padding,
                                 bool align_corners) {
  Taps<T> t;
  auto inside = [size](int64_t i) { return i >= 0 && i < size ? i : -1; };
  if (mode == kBicubic) {
    Coordinate<T> p = unnormalize(x, size, align_corners);
    if (!(p.at > T(-1e9) && p.at < T(1e9))) p = {T(-100), 0};
    T first = std::floor(p.at), f = p.at - first;
    constexpr T a = T(-0.75);
    auto near = [](T v) { return ((a + 2) * v - (a + 3)) * v * v + 1; };
    auto far = [](T v) { return ((a * v - 5 * a) * v + 8 * a) * v - 4 * a; };
    auto near_slope = [](T v) { return (3 * (a + 2) * v - 2 * (a + 3)) * v; };
    auto far_slope = [](T v) { return (3 * a * v - 10 * a) * v + 8 * a; };
    t.n = 4;
    T w[] = {far(f + 1), near(f), near(1 - f), far(2 - f)};
    T s[] = {far_slope(f + 1), near_slope(f), -near_slope(1 - f), -far_slope(2 - f)};
    for (int k = 0; k < 4; ++k) {
      // Padding applies to the elements here, not to the coordinate.
      Coordinate<T> e{first - 1 + static_cast<T>(k), 1};
      if (padding == kBorder) e = clip(e, size);
      if (padding == kReflection)
        e = clip(align_corners ? reflect(e, T(0), static_cast<T>(2 * (size - 1)))
                               : reflect(e, T(-1), static_cast<T>(2 * size - 1)),
                 size);
      t.index[k] = inside(static_cast<int64_t>(e.at));
      t.weight[k] = w[k];
      t.slope[k] = s[k] * p.slope;
    }
    return t;
  }
  Coordinate<T> p = source_coordinate(x, size, padding, align_corners);
  if (mode == kNearest) {
    t.n = 1;
    t.index[0] = inside(static_cast<int64_t>(std::nearbyint(p.at)));
    t.weight[0] = 1;
    t.slope[0] = 0;
    return t;
  }
  T first = std::floor(p.at), f = p.at - first;
  t.n = 2;
  t.index[0] = inside(static_cast<int64_t>(first));
  t.index[1] = inside(static_cast<int64_t>(first) + 1);
  t.weight[0] = 1 - f;
  t.weight[1] = f;
  t.slope[0] = -p.slope;
  t.slope[1] = p.slope;
  return t;
}

// The taps of the three dimensions for one sample; the grid's last number belongs to the first
// dimension.
template <typename T, typename G>
C10_HOST_DEVICE void all_taps(const GridShape& s, const G* coordinates, int64_t mode,
                              int64_t padding, bool align, Taps<T> (&t)[3]) {
  for (int d = 0; d < 3; ++d) {
    if (d < 3 - s.n) {
      t[d].n = 1;
      t[d].index[0] = 0;
      t[d].weight[0] = 1;
      t[d].slope[0] = 0;
    } else {
      t[d] = taps_for(static_cast<T>(coordinates[2 - d]), s.in[d], mode, padding, align);
    }
  }
}

// f(element of the plane, its weight, the derivatives of the weight with respect to each
// coordinate)
template <typename T, typename F>
C10_HOST_DEVICE void each_tap(const GridShape& s, const Taps<T> (&t)[3], const F& f) {
  for (int a = 0; a < t[0].n; ++a) {
    for (int b = 0; b < t[1].n; ++b) {
      for (int c = 0; c < t[2].n; ++c) {
        if (t[0].index[a] < 0 || t[1].index[b] < 0 || t[2].index[c] < 0) continue;
        T slopes[3] = {t[0].slope[a] * t[1].weight[b] * t[2].weight[c],
                       t[0].weight[a] * t[1].slope[b] * t[2].weight[c],
                       t[0].weight[a] * t[1].weight[b] * t[2].slope[c]};
        f((t[0].index[a] * s.in[1] + t[1].index[b]) * s.in[2] + t[2].index[c],
          t[0].weight[a] * t[1].weight[b] * t[2].weight[c], slopes);
      }
    }
  }
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
