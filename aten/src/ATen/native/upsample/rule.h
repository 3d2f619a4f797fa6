#pragma once
// Which input elements contribute to an output element of an interpolation along one dimension, and
// their weights.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <c10/macros/Macros.h>

namespace at::native::upsample {

enum class Mode { nearest, nearest_exact, linear, cubic, linear_aa, cubic_aa, lanczos_aa };

C10_HOST_DEVICE inline bool is_nearest(Mode mode) {
  return mode == Mode::nearest || mode == Mode::nearest_exact;
}
C10_HOST_DEVICE inline bool is_antialiased(Mode mode) {
  return mode == Mode::linear_aa || mode == Mode::cubic_aa || mode == Mode::lanczos_aa;
}

// Keys' cubic convolution: for |x| <= 1, and for 1 < |x| < 2.
C10_HOST_DEVICE inline double cubic_near(double x, double a) {
  return ((a + 2) * x - (a + 3)) * x * x + 1;
}
C10_HOST_DEVICE inline double cubic_far(double x, double a) {
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

C10_HOST_DEVICE inline double sinc(double x) {
  return x == 0 ? 1 : std::sin(M_PI * x) / (M_PI * x);
}

// The filter of an antialiased mode; it is 0 at and beyond filter_width.
C10_HOST_DEVICE inline double filter_width(Mode mode) {
  return mode == Mode::linear_aa ? 1 : mode == Mode::cubic_aa ? 2 : 3;
}
C10_HOST_DEVICE inline double filter(Mode mode, double x) {
  x = std::abs(x);
  if (!(x < filter_width(mode))) return 0;
  if (mode == Mode::linear_aa) return 1 - x;
  if (mode == Mode::cubic_aa) return x < 1 ? cubic_near(x, -0.5) : cubic_far(x, -0.5);
  return sinc(x) * sinc(x / 3);  // Duchon 1979: sinc under the main lobe of a wider sinc
}

struct ResampleRule {
  Mode mode = Mode::nearest;
  int64_t in = 1, out = 1;
  int64_t taps = 1;  // of each output element; unused ones have weight 0
  double step = 1;   // input elements per output element
  bool align_corners = false;
  bool in_float = true;  // whether positions of the linear mode are computed in float

  // One tap of weight 1: elements are copied.
  C10_HOST_DEVICE bool copies() const { return is_nearest(mode); }

  // The taps of output element o. Their indices are in order, and neither the first nor the last
  // one decreases as o grows. The weights of modes that copy are not written.
  template <typename W>
  C10_HOST_DEVICE void taps_of(int64_t o, int64_t* index, W* weight) const {
    if (is_nearest(mode)) *index = nearest(o);
    else if (mode == Mode::linear) linear(o, index, weight);
    else if (mode == Mode::cubic) cubic(o, index, weight);
    else antialiased(o, index, weight);
  }

 private:
  // The element at or before a position, which may be any number: a scale can be arbitrarily
  // small.
  C10_HOST_DEVICE int64_t element_at(double at) const {
    if (!(at > 0)) return 0;
    return at < static_cast<double>(in - 1) ? static_cast<int64_t>(at) : in - 1;
  }

  // Positions are computed in float, as every implementation of this mode does: results must
  // match.
  C10_HOST_DEVICE int64_t nearest(int64_t o) const {
    const float s = static_cast<float>(step), at = static_cast<float>(o);
    return element_at(mode == Mode::nearest_exact ? (at + 0.5f) * s : at * s);
  }

  template <typename W>
  C10_HOST_DEVICE void linear(int64_t o, int64_t* index, W* weight) const {
    double at;
    if (in_float) {
      const float s = static_cast<float>(step), x = static_cast<float>(o);
      at = align_corners ? s * x : std::max(s * (x + 0.5f) - 0.5f, 0.0f);
    } else {
      const double x = static_cast<double>(o);
      at = align_corners ? step * x : std::max(step * (x + 0.5) - 0.5, 0.0);
    }
    const int64_t first = element_at(at);
    const double part = std::min(std::max(at - static_cast<double>(first), 0.0), 1.0);
    index[0] = first;
    index[1] = first + (first < in - 1 ? 1 : 0);
    weight[0] = static_cast<W>(1 - part);
    weight[1] = static_cast<W>(part);
  }

  template <typename W>
  C10_HOST_DEVICE void cubic(int64_t o, int64_t* index, W* weight) const {
    constexpr double a = -0.75;
    const double number = static_cast<double>(o);
    double at = align_corners ? step * number : step * (number + 0.5) - 0.5;
    at = std::min(std::max(at, -4.0),
                  static_cast<double>(in) + 4.0);  // beyond the edge all elements equal the edge
    const auto first = static_cast<int64_t>(std::floor(at));
    const double x = at - static_cast<double>(first);
    for (int64_t k = 0; k < 4; ++k)
      index[k] = std::min(std::max<int64_t>(first + k - 1, 0), in - 1);
    weight[0] = static_cast<W>(cubic_far(x + 1, a));
    weight[1] = static_cast<W>(cubic_near(x, a));
    weight[2] = static_cast<W>(cubic_near(1 - x, a));
    weight[3] = static_cast<W>(cubic_far(2 - x, a));
  }

  // The filter is stretched to cover all elements that contribute to an output element.
  template <typename W>
  C10_HOST_DEVICE void antialiased(int64_t o, int64_t* index, W* weight) const {
    const double stretch = std::max(step, 1.0), support = filter_width(mode) * stretch,
                 center = step * (static_cast<double>(o) + 0.5);
    const int64_t first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0),
                  end = std::min(static_cast<int64_t>(center + support + 0.5), in),
                  n = std::min(std::max<int64_t>(end - first, 0), taps);
    double total = 0;
    for (int64_t k = 0; k < taps; ++k) {
      const double w =
          k < n ? filter(mode, (static_cast<double>(k + first) - center + 0.5) / stretch) : 0;
      index[k] = std::max<int64_t>(std::min(std::min(first + k, first + n - 1), in - 1), 0);
      weight[k] = static_cast<W>(w);
      total += w;
    }
    for (int64_t k = 0; k < n && total != 0; ++k)
      weight[k] = static_cast<W>(static_cast<double>(weight[k]) / total);
  }
};

}  // namespace at::native::upsample
