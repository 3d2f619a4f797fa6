// Means of windows, forward and backward.

#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/pooling/PoolShape.h>

namespace at::native {
namespace {

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

// In independent sums, where there are many elements.
template <typename A>
A sum_of_line(const A* line, int64_t n) {
  constexpr int64_t kSums = 16;
  A total = 0;
  int64_t i = 0;
  if (n >= kSums) {
    A sums[kSums] = {};
    for (; i + kSums <= n; i += kSums) {
      for (int64_t j = 0; j < kSums; ++j) sums[j] += line[i + j];
    }
    for (A part : sums) total += part;
  }
  for (; i < n; ++i) total += line[i];
  return total;
}

template <typename T>
void avg_planes(const PoolShape& s, const T* input, T* output) {
  using A = SumType<T>;
  int64_t in = s.in_numel(), out = s.out_numel();
  const Windows windows(s);
  parallel_for(0, s.batch * s.channels,
               std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, out)),
               [&](int64_t begin, int64_t end) {
    Widened<T> plane;
    std::vector<A> wide_means(kSumsAreWide<T> ? out : 0);
    for (int64_t p = begin; p < end; ++p) {
      const A* from = plane.read(input + p * in, in);
      A* means;
      if constexpr (kSumsAreWide<T>) means = wide_means.data();
      else means = output + p * out;
      windows.each([&](int64_t o, const Window& w) {
        A sum = 0;
        for (int64_t x = w.r[0].begin; x < w.r[0].end; ++x) {
          for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
            const A* line = from + (x * s.in[1] + y) * s.in[2];
            sum += sum_of_line(line + w.r[2].begin, w.r[2].end - w.r[2].begin);
          }
        }
        means[o] = w.divisor ? sum / static_cast<A>(w.divisor) : A(0);
      });
      if constexpr (kSumsAreWide<T>)
        convert_run(static_cast<const A*>(means), output + p * out, out);
    }
  });
}

template <typename T>
void avg_channels_last(const PoolShape& s, const T* input, T* output) {
  using A = SumType<T>;
  int64_t in = s.in_numel(), out = s.out_numel(), channels = s.channels;
  const Windows windows(s);
  parallel_for(0, s.batch * out,
               std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, channels)),
               [&](int64_t begin, int64_t end) {
    std::vector<A> sums(channels);
    A* sum = sums.data();
    T* to = output + begin * channels;
    windows.each_pixel(begin, end, [&](int64_t image, const Window& w) {
      std::fill(sums.begin(), sums.end(), A(0));
      for (int64_t x = w.r[0].begin; x < w.r[0].end; ++x) {
        for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
          const T* line = input + (image * in + (x * s.in[1] + y) * s.in[2]) * channels;
          for (int64_t z = w.r[2].begin; z < w.r[2].end; ++z)
            add_run(line + z * channels, sum, channels);
        }
      }
      const A divisor = static_cast<A>(w.divisor);
      for (int64_t c = 0; c < channels; ++c) sum[c] = w.divisor ? sum[c] / divisor : A(0);
      if constexpr (kSumsAreWide<T>) convert_run(static_cast<const A*>(sum), to, channels);
      else std::copy_n(sum, channels, to);
      to += channels;
    });
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
    Widened<T> grads;
    for (int64_t p = begin; p < end; ++p) {
      SumType<T>* plane = sums.open(to + p * in, in);
      const SumType<T>* g = grads.read(grad + p * out, out);
      windows.each([&](int64_t o, const Window& w) {
        if (!w.divisor) return;
        const SumType<T> each = g[o] / static_cast<SumType<T>>(w.divisor);
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
    Widened<T> grads;
    std::vector<SumType<T>> shares(channels);
    SumType<T>* share = shares.data();
    for (int64_t n = begin; n < end; ++n) {
      SumType<T>* image = sums.open(to + n * in * channels, in * channels);
      windows.each([&](int64_t o, const Window& w) {
        if (!w.divisor) return;
        const SumType<T>* g = grads.read(grad + (n * out + o) * channels, channels);
        for (int64_t c = 0; c < channels; ++c) share[c] = g[c] / static_cast<SumType<T>>(w.divisor);
        for (int64_t x = w.r[0].begin; x < w.r[0].end; ++x) {
          for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
            for (int64_t z = w.r[2].begin; z < w.r[2].end; ++z) {
              SumType<T>* pixel = image + ((x * s.in[1] + y) * s.in[2] + z) * channels;
#pragma GCC ivdep
              for (int64_t c = 0; c < channels; ++c) pixel[c] += share[c];
            }
          }
        }
      });
      sums.close();
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
