#pragma once
// The windows of a pooling: their bounds and what their means divide by.

#include <vector>

#include <ATen/native/pooling/PoolShape.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

struct Window {
  PoolShape::Range r[3];
  int64_t divisor;
};

// The windows along each dimension, computed once: their bounds take divisions.
class Windows {
 public:
  explicit Windows(const PoolShape& s) : s_(s) {
    for (int d = 0; d < 3; ++d) {
      for (int64_t o = 0; o < s.out[d]; ++o) along_[d].push_back(s.window(d, o));
    }
  }

  // What the mean of a window divides by.
  int64_t divisor(int64_t x, int64_t y, int64_t z) const {
    if (s_.divisor) return s_.divisor;
    return s_.counted_length(along_[0][x]) * s_.counted_length(along_[1][y]) *
           s_.counted_length(along_[2][z]);
  }
  Window at(int64_t x, int64_t y, int64_t z) const {
    return {{along_[0][x], along_[1][y], along_[2][z]}, divisor(x, y, z)};
  }
  const std::vector<PoolShape::Range>& along(int d) const { return along_[d]; }
  // f(image, window) for pixels begin to end of a batch of results, in order.
  template <typename F>
  void each_pixel(int64_t begin, int64_t end, const F& f) const {
    int64_t z = begin % s_.out[2], y = begin / s_.out[2] % s_.out[1],
            x = begin / s_.out[2] / s_.out[1] % s_.out[0], image = begin / s_.out_numel();
    for (int64_t k = begin; k < end; ++k) {
      f(image, at(x, y, z));
      if (++z < s_.out[2]) continue;
      z = 0;
      if (++y < s_.out[1]) continue;
      y = 0;
      if (++x < s_.out[0]) continue;
      x = 0;
      ++image;
    }
  }
  // f(index, window) for all of them, in order.
  template <typename F>
  void each(const F& f) const {
    int64_t o = 0;
    for (int64_t x = 0; x < s_.out[0]; ++x) {
      for (int64_t y = 0; y < s_.out[1]; ++y) {
        for (int64_t z = 0; z < s_.out[2]; ++z) f(o++, at(x, y, z));
      }
    }
  }

 private:
  const PoolShape& s_;
  std::vector<PoolShape::Range> along_[3];
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
