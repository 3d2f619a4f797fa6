// Means of windows, forward and backward.

#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/WideSums.h>
#include <ATen/native/pooling/PoolShape.h>

namespace at::native {
namespace {

template <typename T>
using Sum = std::conditional_t<std::is_same<T, double>::value, double,
                               std::conditional_t<std::is_integral<T>::value, int64_t, float>>;

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

  Window at(int64_t x, int64_t y, int64_t z) const {
    Window w{{along_[0][x], along_[1][y], along_[2][z]}, s_.divisor};
    if (w.divisor == 0)
      w.divisor = s_.counted_length(w.r[0]) * s_.counted_length(w.r[1]) * s_.counted_length(w.r[2]);
    return w;
  }
  Window at(int64_t o) const {
    return at(o / (s_.out[1] * s_.out[2]), o / s_.out[2] % s_.out[1], o % s_.out[2]);
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

// In independent sums, where there are many elements.
template <typename T>
Sum<T> sum_of_line(const T* line, int64_t n) {
  constexpr int64_t kSums = 16;
  Sum<T> total = 0;
  int64_t i = 0;
  if (n >= kSums) {
    Sum<T> sums[kSums] = {};
    for (; i + kSums <= n; i += kSums) {
      for (int64_t j = 0; j < kSums; ++j) sums[j] += static_cast<Sum<T>>(line[i + j]);
    }
    for (Sum<T> part : sums) total += part;
  }
  for (; i < n; ++i) total += static_cast<Sum<T>>(line[i]);
  return total;
}

template <typename T>
void avg_planes(const PoolShape& s, const T* input, T* output) {
  int64_t in = s.in_numel(), out = s.out_numel();
  const Windows windows(s);
  parallel_for(0, s.batch * s.channels,
               std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, out)),
               [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const T* from = input + p * in;
      windows.each([&](int64_t o, const Window& w) {
        Sum<T> sum = 0;
        for (int64_t x = w.r[0].begin; x < w.r[0].end; ++x) {
          for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
            const T* line = from + (x * s.in[1] + y) * s.in[2];
            sum += sum_of_line(line + w.r[2].begin, w.r[2].end - w.r[2].begin);
          }
        }
        output[p * out + o] =
            w.divisor ? static_cast<T>(sum / static_cast<Sum<T>>(w.divisor)) : T(0);
      });
    }
  });
}

template <typename T>
void avg_channels_last(const PoolShape& s, const T* input, T* output) {
  int64_t in = s.in_numel(), out = s.out_numel(), channels = s.channels;
  const Windows windows(s);
  parallel_for(0, s.batch * out,
               std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, channels)),
               [&](int64_t begin, int64_t end) {
    std::vector<Sum<T>> sums(channels);
    Sum<T>* sum = sums.data();
    for (int64_t k = begin; k < end; ++k) {
      Window w = windows.at(k % out);
      std::fill(sums.begin(), sums.end(), Sum<T>(0));
      for (int64_t x = w.r[0].begin; x < w.r[0].end; ++x) {
        for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
          for (int64_t z = w.r[2].begin; z < w.r[2].end; ++z) {
            const T* from = input + (k / out * in + (x * s.in[1] + y) * s.in[2] + z) * channels;
#pragma GCC ivdep
            for (int64_t c = 0; c < channels; ++c) sum[c] += static_cast<Sum<T>>(from[c]);
          }
        }
      }
      T* to = output + k * channels;
      for (int64_t c = 0; c < channels; ++c)
        to[c] = w.divisor ? static_cast<T>(sum[c] / static_cast<Sum<T>>(w.divisor)) : T(0);
    }
  });
}

template <typename T>
void avg_planes_backward(const PoolShape& s, const T* grad, T* to) {
  int64_t in = s.in_numel(), out = s.out_numel();
  const Windows windows(s);
  parallel_for(0, s.batch * s.channels,
               std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, out)),
               [&](int64_t begin, int64_t end) {
    WideSums<T> sums;
    for (int64_t p = begin; p < end; ++p) {
      SumType<T>* plane = sums.open(to + p * in, in);
      windows.each([&](int64_t o, const Window& w) {
        if (!w.divisor) return;
        Sum<T> each = static_cast<Sum<T>>(grad[p * out + o]) / static_cast<Sum<T>>(w.divisor);
        for (int64_t x = w.r[0].begin; x < w.r[0].end; ++x) {
          for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
            SumType<T>* line = plane + (x * s.in[1] + y) * s.in[2];
            for (int64_t z = w.r[2].begin; z < w.r[2].end; ++z) line[z] += each;
          }
        }
      });
      sums.close();
    }
  });
}

template <typename T>
void avg_channels_last_backward(const PoolShape& s, const T* grad, T* to) {
  int64_t in = s.in_numel(), out = s.out_numel(), channels = s.channels;
  const Windows windows(s);
  parallel_for(0, s.batch, 1, [&](int64_t begin, int64_t end) {
    WideSums<T> sums;
    SumType<T>* image = nullptr;
    for (int64_t k = begin * out; k < end * out; ++k) {
      if (k % out == 0) image = sums.open(to + k / out * in * channels, in * channels);
      Window w = windows.at(k % out);
      const T* g = grad + k * channels;
      for (int64_t x = w.r[0].begin; w.divisor && x < w.r[0].end; ++x) {
        for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
          for (int64_t z = w.r[2].begin; z < w.r[2].end; ++z) {
            SumType<T>* pixel = image + ((x * s.in[1] + y) * s.in[2] + z) * channels;
#pragma GCC ivdep
            for (int64_t c = 0; c < channels; ++c)
              pixel[c] += static_cast<Sum<T>>(g[c]) / static_cast<Sum<T>>(w.divisor);
          }
        }
      }
      if ((k + 1) % out == 0) sums.close();
    }
  });
}

}  // namespace

static void avg_pool_kernel(const PoolShape& s, const Tensor& input, const Tensor& output) {
  dispatch_types<FloatingAndReduced, int64_t>(input.scalar_type(), "avg_pool2d",
                                              [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(input.data_ptr());
    T* to = static_cast<T*>(output.data_ptr());
    if (s.channels_last) avg_channels_last(s, from, to);
    else avg_planes(s, from, to);
  });
}

static void avg_pool_backward_kernel(const PoolShape& s, const Tensor& grad_output,
                                     const Tensor& grad_input) {
  dispatch_types<FloatingAndReduced>(grad_output.scalar_type(), "avg_pool2d_backward",
                                     [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(grad_output.data_ptr());
    T* to = static_cast<T*>(grad_input.data_ptr());
    if (s.channels_last) avg_channels_last_backward(s, from, to);
    else avg_planes_backward(s, from, to);
  });
}

REGISTER_DISPATCH(avg_pool_stub, &avg_pool_kernel)
REGISTER_DISPATCH(avg_pool_backward_stub, &avg_pool_backward_kernel)

}  // namespace at::native
