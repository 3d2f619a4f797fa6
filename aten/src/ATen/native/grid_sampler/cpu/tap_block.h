#pragma once
// A block of samples on a grid: the elements that contribute to each of them are found once, and
// then used for all channels of the image. Loops over the samples of a block read and write
// neighbouring numbers.

#include <algorithm>

#include <ATen/native/grid_sampler/taps.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T, int N, int64_t mode>
class TapBlock {
 public:
  static constexpr int kPoints = 64;

  // The taps of the samples whose coordinates these are; with the derivatives of their weights, if
  // asked for.
  void fill(const GridShape& s, const T* coordinates, int points, int64_t padding, bool align,
            bool with_slopes) {
    for (int d = 0; d < N; ++d) {
      const T* x = coordinates + N - 1 - d;
      const int64_t size = s.in[3 - N + d];
      if (mode == kBilinear && padding != kReflection && size < (1 << 24)) {
        fill_dim(lines_[d], x, size, padding, align, points);
      } else {
        for (int p = 0; p < points; ++p) {
          const Taps<T> t = taps_for(x[p * N], size, mode, padding, align);
          for (int j = 0; j < kPerDim; ++j) {
            lines_[d].index[j][p] = t.index[j];
            lines_[d].weight[j][p] = t.weight[j];
            lines_[d].slope[j][p] = t.slope[j];
          }
        }
      }
    }
    int64_t any_outside = 0;
    for (int k = 0; k < kTaps; ++k) {
      const Line* lines[N];
      int j[N];
      for (int d = N - 1, rest = k; d >= 0; --d, rest /= kPerDim) {
        lines[d] = &lines_[d];
        j[d] = rest % kPerDim;
      }
      for (int p = 0; p < points; ++p) {
        int64_t element = 0, outside = 0;
        T weight = 1;
        for (int d = 0; d < N; ++d) {
          element = element * s.in[3 - N + d] + lines[d]->index[j[d]][p];
          outside |= lines[d]->index[j[d]][p];
          weight *= lines[d]->weight[j[d]][p];
        }
        element_[k][p] = outside < 0 ? -1 : element;
        weight_[k][p] = weight;
        any_outside |= outside;
      }
      if (!with_slopes) continue;
      for (int d = 0; d < N; ++d) {
        for (int p = 0; p < points; ++p) {
          T slope = lines[d]->slope[j[d]][p];
          for (int e = 0; e < N; ++e) {
            if (e != d) slope *= lines[e]->weight[j[e]][p];
          }
          slope_[k][d][p] = slope;
        }
      }
    }
    all_inside_ = any_outside >= 0;
  }

  // The samples of one channel.
  void sample(const T* image, int points, T* out) const {
    weigh(image, points, [&](int p, const auto& value_of) {
      T sum = 0;
      for (int k = 0; k < kTaps; ++k) sum += weight_[k][p] * value_of(k);
      out[p] = sum;
    });
  }

  void clear_dots(int points) {
    for (auto& dots : dot_) std::fill_n(dots, points, T(0));
  }

  // For each tap, the product of its element and the sample's gradient; of all channels.
  void add_dots(const T* image, const T* grad, int points) {
    weigh(image, points, [&](int p, const auto& value_of) {
      for (int k = 0; k < kTaps; ++k) dot_[k][p] += grad[p] * value_of(k);
    });
  }

  // Adds the gradients of one channel's samples to those of its elements.
  void scatter(const T* grad, int points, T* grad_image) const {
    for (int p = 0; p < points; ++p) {
      for (int k = 0; k < kTaps; ++k) {
        if (element_[k][p] >= 0) grad_image[element_[k][p]] += weight_[k][p] * grad[p];
      }
    }
  }

  // The gradients of the coordinates.
  void write_slopes(int points, T* grad_coordinates) const {
    for (int p = 0; p < points; ++p) {
      for (int d = 0; d < N; ++d) {
        T sum = 0;
        for (int k = 0; k < kTaps; ++k) sum += dot_[k][p] * slope_[k][d][p];
        grad_coordinates[p * N + N - 1 - d] = sum;
      }
    }
  }

 private:
  static constexpr int kPerDim = mode == kBicubic ? 4 : mode == kNearest ? 1 : 2;
  static constexpr int kTaps = N == 2 ? kPerDim * kPerDim : kPerDim * kPerDim * kPerDim;

  // The taps of a block along one dimension.
  struct Line {
    int64_t index[kPerDim][kPoints];  // -1: outside
    T weight[kPerDim][kPoints], slope[kPerDim][kPoints];
  };

  // What taps_for finds, without branches.
  static void fill_dim(Line& line, const T* x, int64_t size, int64_t padding, bool align,
                       int points) {
    const bool border = padding == kBorder;
    const T n = static_cast<T>(size), min = border ? T(0) : T(-2), max = border ? n - 1 : n + 1;
    for (int p = 0; p < points; ++p) {
      const Coordinate<T> found = unnormalize(x[p * N], size, align);
      // NaN is at the lower end.
      T at = found.at > min ? found.at : min;
      at = at < max ? at : max;
      const bool moved = !(found.at > min && found.at < max);
      const T first = std::floor(at), part = at - first, slope = moved ? T(0) : found.slope;
      const int32_t i = static_cast<int32_t>(first), last = static_cast<int32_t>(size) - 1;
      line.index[0][p] = i >= 0 && i <= last ? i : -1;
      line.index[1][p] = i >= -1 && i < last ? i + 1 : -1;
      line.weight[0][p] = 1 - part;
      line.weight[1][p] = part;
      line.slope[0][p] = -slope;
      line.slope[1][p] = slope;
    }
  }

  // f(sample, function of a tap's number that gives the value of its element; 0 outside of the
  // image)
  template <typename F>
  void weigh(const T* image, int points, const F& f) const {
    if (all_inside_) {
      for (int p = 0; p < points; ++p) f(p, [&](int k) { return image[element_[k][p]]; });
    } else {
      for (int p = 0; p < points; ++p) {
        f(p, [&](int k) { return element_[k][p] < 0 ? T(0) : image[element_[k][p]]; });
      }
    }
  }

  bool all_inside_ = true;
  Line lines_[N];
  int64_t element_[kTaps][kPoints];  // -1: outside
  T weight_[kTaps][kPoints];
  T slope_[kTaps][N][kPoints];  // derivatives of the weight with respect to each coordinate
  T dot_[kTaps][kPoints];
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
