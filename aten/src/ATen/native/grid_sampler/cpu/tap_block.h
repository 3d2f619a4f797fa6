#pragma once
// A block of samples on a grid: the elements that contribute to each of them are found once, and
// then used for all channels of the image. Loops over the samples of a block read and write
// neighbouring numbers.

#if defined(CPU_CAPABILITY_AVX512)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/grid_sampler/taps.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The elements with these indices.
template <typename T, typename Index>
C10_ALWAYS_INLINE Vec<T> gather(const T* from, const Index* index) {
#if defined(CPU_CAPABILITY_AVX512)
  if constexpr (sizeof(T) == 4)
    return Vec<T>(typename Vec<T>::V(_mm512_i32gather_ps(_mm512_loadu_si512(index), from, 4)));
  else return Vec<T>(typename Vec<T>::V(_mm512_i64gather_pd(_mm512_loadu_si512(index), from, 8)));
#else
  // One by one: AVX2's gathers take longer, on Zen 3 three times as long.
  return [&]<size_t... i>(std::index_sequence<i...>) {
    return Vec<T>(typename Vec<T>::V{from[index[i]]...});
  }(std::make_index_sequence<Vec<T>::size>());
#endif
}

template <typename T, int N, int64_t mode>
class TapBlock {
 public:
  static constexpr int kPoints = 64;
  // Indices are as wide as the numbers.
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

  // The taps of the samples whose coordinates these are; with the derivatives of their weights, if
  // asked for.
  void fill(const GridShape& s, const T* coordinates, int points, int64_t padding, bool align,
            bool with_slopes) {
    // The last vector is filled up with copies of the last sample.
    const int padded = (points + kLanes - 1) / kLanes * kLanes;
    for (int d = 0; d < N; ++d) {
      const int64_t size = s.in[3 - N + d];
      T x[kPoints];
      for (int p = 0; p < points; ++p) x[p] = coordinates[p * N + N - 1 - d];
      if (mode == kBilinear && padding != kReflection && size < (1 << 24)) {
        std::fill(x + points, x + padded, x[points - 1]);
        fill_dim(lines_[d], x, size, padding, align, padded);
      } else {
        for (int p = 0; p < padded; ++p) fill_sample(lines_[d], x, p, points, size, padding, align);
      }
    }
    Int outside{};
    for (int k = 0; k < kTaps; ++k) {
      const Line* lines[N];
      int j[N];
      for (int d = N - 1, rest = k; d >= 0; --d, rest /= kPerDim) {
        lines[d] = &lines_[d];
        j[d] = rest % kPerDim;
      }
      for (int p = 0; p < padded; p += kLanes) {
        Int element{}, negative{};
        V weights[N], weight(T(1));
        for (int d = 0; d < N; ++d) {
          const Int index = load(lines[d]->index[j[d]] + p);
          element = element * static_cast<Index>(s.in[3 - N + d]) + index;
          negative |= index;
          weights[d] = V::load(lines[d]->weight[j[d]] + p);
          weight = weight * weights[d];
        }
        const Int is_inside = negative >= 0;
        element &= is_inside;
        outside |= negative;
        std::memcpy(element_[k] + p, &element, sizeof element);
        std::memcpy(is_inside_[k] + p, &is_inside, sizeof is_inside);
        weight.store(weight_[k] + p);
        for (int d = 0; d < N && with_slopes; ++d) {
          V slope = V::load(lines[d]->slope[j[d]] + p);
          for (int e = 0; e < N; ++e) {
            if (e != d) slope = slope * weights[e];
          }
          slope.store(slope_[k][d] + p);
        }
      }
    }
    all_inside_ = true;
    for (int i = 0; i < kLanes; ++i) all_inside_ &= outside[i] >= 0;
    if (all_inside_ || !with_slopes) return;
    inside_count_ = 0;
    for (int p = 0; p < points; ++p) {
      for (int k = 0; k < kTaps; ++k) {
        inside_[inside_count_] = static_cast<int16_t>(k * kPoints + p);
        inside_count_ += is_inside_[k][p] != 0;
      }
    }
  }

  // The samples of one channel.
  void sample(const T* image, int points, T* out) const {
    for_vectors(points, [&](int p, int count) {
      V sum(T(0));
      for (int k = 0; k < kTaps; ++k) sum = sum + V::load(weight_[k] + p) * elements(image, k, p);
      if (count == V::size) sum.store(out + p);
      else sum.store(out + p, count);
    });
  }

  void clear_dots() {
    for (auto& dots : dot_) std::fill_n(dots, kPoints, T(0));
  }

  // For each tap, the product of its element and the sample's gradient; of all channels.
  void add_dots(const T* image, const T* grad, int points) {
    if (has_few_inside()) {
      const Index* element = element_[0];
      T* dot = dot_[0];
      return each_inside([&](int t, int p) { dot[t] += image[element[t]] * grad[p]; });
    }
    for_vectors(points, [&](int p, int count) {
      const V g = count == V::size ? V::load(grad + p) : V::load(grad + p, count);
      for (int k = 0; k < kTaps; ++k) {
        const V dot = V::load(dot_[k] + p) + g * elements(image, k, p);
        dot.store(dot_[k] + p);
      }
    });
  }

  // Adds the gradients of one channel's samples to those of its elements.
  void scatter(const T* grad, int points, T* grad_image) const {
    if (!all_inside_) {
      const Index* element = element_[0];
      const T* weight = weight_[0];
      return each_inside([&](int t, int p) { grad_image[element[t]] += weight[t] * grad[p]; });
    }
    for (int p = 0; p < points; ++p) {
      for (int k = 0; k < kTaps; ++k) grad_image[element_[k][p]] += weight_[k][p] * grad[p];
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
    Index index[kPerDim][kPoints];  // -1: outside
    T weight[kPerDim][kPoints], slope[kPerDim][kPoints];
  };

  using V = Vec<T>;
  using Int = typename V::Mask;
  static constexpr int kLanes = static_cast<int>(V::size);

  static Int load(const Index* p) {
    Int v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }

  static void fill_sample(Line& line, const T* x, int p, int points, int64_t size, int64_t padding,
                          bool align) {
    const Taps<T> t = taps_for(x[std::min(p, points - 1)], size, mode, padding, align);
    for (int j = 0; j < kPerDim; ++j) {
      line.index[j][p] = static_cast<Index>(t.index[j]);
      line.weight[j][p] = t.weight[j];
      line.slope[j][p] = t.slope[j];
    }
  }

  // What taps_for finds, in vectors.
  static void fill_dim(Line& line, const T* x, int64_t size, int64_t padding, bool align,
                       int points) {
    const bool border = padding == kBorder;
    const T n = static_cast<T>(size);
    const V min(border ? T(0) : T(-2)), max(border ? n - 1 : n + 1);
    const Index last = static_cast<Index>(size) - 1;
    const T scale = align ? (n - 1) / 2 : n / 2;
    for (int p = 0; p < points; p += kLanes) {
      const V shifted = V::load(x + p) + V(T(1));
      const V found =
          align ? shifted * V(T(0.5)) * V(n - 1) : (shifted * V(n) - V(T(1))) * V(T(0.5));
      // NaN is at the lower end.
      V at = where(found > min, found, min);
      at = where(at < max, at, max);
      const Int within = (found > min) & (found < max);
      // at is above -3.
      Int first = __builtin_convertvector(at.v, Int);
      first += at < V(__builtin_convertvector(first, typename V::V));  // -1 where it is rounded up
      const V part = at - V(__builtin_convertvector(first, typename V::V));
      const Int second = first + 1, none = Int{} - 1;
      const Int index[] = {(first >= 0) & (first <= last) ? first : none,
                           (second >= 0) & (second <= last) ? second : none};
      const V slope = where(within, V(scale), V(T(0)));
      std::memcpy(line.index[0] + p, &index[0], sizeof(Int));
      std::memcpy(line.index[1] + p, &index[1], sizeof(Int));
      (V(T(1)) - part).store(line.weight[0] + p);
      part.store(line.weight[1] + p);
      (V(T(0)) - slope).store(line.slope[0] + p);
      slope.store(line.slope[1] + p);
    }
  }

  // f(first sample, number of samples) for vectors of samples
  template <typename F>
  static void for_vectors(int points, const F& f) {
    for (int p = 0; p < points; p += kLanes) f(p, std::min(kLanes, points - p));
  }

  // Tap k of samples p to p + V::size; 0 outside of the image.
  V elements(const T* image, int k, int p) const {
    const V found = gather(image, element_[k] + p);
    return all_inside_ ? found : where(load(is_inside_[k] + p), found, V(T(0)));
  }

  // Vectors would read few elements each (from measurements). Known after fill() with slopes.
  static constexpr int kFew = kTaps * kPoints / (N == 2 ? 8 : 4);
  bool has_few_inside() const { return !all_inside_ && inside_count_ < kFew; }
  // f(number of the tap in the block, its sample) for the taps inside of the image
  template <typename F>
  void each_inside(const F& f) const {
    for (int i = 0; i < inside_count_; ++i) f(inside_[i], inside_[i] % kPoints);
  }

  bool all_inside_ = true;
  // The taps that are inside, sample by sample, where some are not.
  int inside_count_ = 0;
  int16_t inside_[kTaps * kPoints + 1];
  Line lines_[N];
  Index element_[kTaps][kPoints];    // 0: outside, too
  Index is_inside_[kTaps][kPoints];  // -1 or 0
  T weight_[kTaps][kPoints];
  T slope_[kTaps][N][kPoints];  // derivatives of the weight with respect to each coordinate
  T dot_[kTaps][kPoints];
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
