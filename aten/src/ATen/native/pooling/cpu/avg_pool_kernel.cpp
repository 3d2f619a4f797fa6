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

Window window_of(const PoolShape& s, int64_t o) {
  Window w{{s.window(0, o / (s.out[1] * s.out[2])), s.window(1, o / s.out[2] % s.out[1]),
            s.window(2, o % s.out[2])},
           s.divisor};
  if (w.divisor == 0) {
    w.divisor = 1;
    for (auto& r : w.r)
      w.divisor *= s.include_padding && !s.adaptive ? r.padded_length
                                                    : std::max<int64_t>(0, r.end - r.begin);
  }
  return w;
}

template <typename T>
void avg_planes(const PoolShape& s, const T* input, T* output) {
  int64_t in = s.in_numel(), out = s.out_numel();
  parallel_for(0, s.batch * s.channels,
               std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, out)),
               [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const T* from = input + p * in;
      for (int64_t o = 0; o < out; ++o) {
        Window w = window_of(s, o);
        Sum<T> sum = 0;
        for (int64_t x = w.r[0].begin; x < w.r[0].end; ++x) {
          for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
            const T* line = from + (x * s.in[1] + y) * s.in[2];
            for (int64_t z = w.r[2].begin; z < w.r[2].end; ++z) sum += static_cast<Sum<T>>(line[z]);
          }
        }
        output[p * out + o] =
            w.divisor ? static_cast<T>(sum / static_cast<Sum<T>>(w.divisor)) : T(0);
      }
    }
  });
}

template <typename T>
void avg_channels_last(const PoolShape& s, const T* input, T* output) {
  int64_t in = s.in_numel(), out = s.out_numel(), channels = s.channels;
  parallel_for(0, s.batch * out,
               std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, channels)),
               [&](int64_t begin, int64_t end) {
    std::vector<Sum<T>> sums(channels);
    Sum<T>* sum = sums.data();
    for (int64_t k = begin; k < end; ++k) {
      Window w = window_of(s, k % out);
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
  parallel_for(0, s.batch * s.channels,
               std::max<int64_t>(1, kGrainSize / 4 / std::max<int64_t>(1, out)),
               [&](int64_t begin, int64_t end) {
    WideSums<T> sums;
    for (int64_t p = begin; p < end; ++p) {
      SumType<T>* plane = sums.open(to + p * in, in);
      for (int64_t o = 0; o < out; ++o) {
        Window w = window_of(s, o);
        if (!w.divisor) continue;
        Sum<T> each = static_cast<Sum<T>>(grad[p * out + o]) / static_cast<Sum<T>>(w.divisor);
        for (int64_t x = w.r[0].begin; x < w.r[0].end; ++x) {
          for (int64_t y = w.r[1].begin; y < w.r[1].end; ++y) {
            SumType<T>* line = plane + (x * s.in[1] + y) * s.in[2];
            for (int64_t z = w.r[2].begin; z < w.r[2].end; ++z) line[z] += each;
          }
        }
      }
      sums.close();
    }
  });
}

template <typename T>
void avg_channels_last_backward(const PoolShape& s, const T* grad, T* to) {
  int64_t in = s.in_numel(), out = s.out_numel(), channels = s.channels;
  parallel_for(0, s.batch, 1, [&](int64_t begin, int64_t end) {
    WideSums<T> sums;
    SumType<T>* image = nullptr;
    for (int64_t k = begin * out; k < end * out; ++k) {
      if (k % out == 0) image = sums.open(to + k / out * in * channels, in * channels);
      Window w = window_of(s, k % out);
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
