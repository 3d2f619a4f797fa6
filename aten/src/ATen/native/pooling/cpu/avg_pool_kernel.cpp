// Means of windows, forward and backward.

#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/Scratch.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/common/cpu/WideVec.h>
#include <ATen/native/pooling/PoolShape.h>
#include <ATen/native/pooling/cpu/pixel_sums.h>
#include <ATen/native/pooling/cpu/small_planes.h>
#include <ATen/native/pooling/cpu/split_rows.h>
#include <ATen/native/pooling/cpu/window_sums.h>
#include <ATen/native/pooling/window_mean.h>

namespace at::native {
namespace {

// A few windows, or windows that are far apart, take longer in a line than one after the other
// (from measurements).
bool has_wide_lines(const PoolShape& s) { return !s.adaptive && s.out[2] >= 8 && s.stride[2] <= 4; }

// What the windows of a line divide by, without the rows.
template <typename A>
std::vector<A> line_divisors(const PoolShape& s) {
  std::vector<A> divisors(s.out[2]);
  for (int64_t c = 0; c < s.out[2]; ++c)
    divisors[c] = static_cast<A>(s.divisor ? s.divisor : s.counted_length(s.window(2, c)));
  return divisors;
}

// The windows of a line at once, in loops that GCC vectorizes.
template <typename T>
class LineMeans {
 public:
  using A = SumType<T>;
  explicit LineMeans(const PoolShape& s)
      : s_(s), rows_(s, A(0)), sums_(rows_.windows()), divisors_(line_divisors<A>(s)) {}

  void operator()(const T* plane, int64_t line, int64_t column, int64_t count, bool is_first,
                  T* output) {
    if (is_first) rows_.begin(plane, column);
    const auto r0 = s_.window(0, line / s_.out[1]), r1 = s_.window(1, line % s_.out[1]);
    const auto n = static_cast<int64_t>(sums_.size());
    A* __restrict sums = sums_.data();
    std::fill_n(sums, n, A(0));
    for (int64_t x = r0.begin; x < r0.end; ++x) {
      for (int64_t y = r1.begin; y < r1.end; ++y) {
        const A* row = rows_.row(x, y);
        for (int64_t z = 0; z < s_.kernel[2]; ++z) {
          const A* tap = row + rows_.tap(z);
          for (int64_t c = 0; c < n; ++c) sums[c] = wrapping_sum(sums[c], tap[c]);
        }
      }
    }
    const A* divisors = divisors_.data() + column;
    const A rows = static_cast<A>(s_.divisor ? 1 : s_.counted_length(r0) * s_.counted_length(r1));
    for (int64_t c = 0; c < count; ++c) sums[c] = window_mean(sums[c], divisors[c] * rows);
    if constexpr (kSumsAreWide<T>) convert_run(static_cast<const A*>(sums), output, count);
    else std::copy_n(sums, count, output);
  }

 private:
  const PoolShape& s_;
  SplitRows<T, A> rows_;
  std::vector<A> sums_, divisors_;
};

template <typename T>
void avg_lines(const PoolShape& s, const T* input, T* output) {
  const int64_t lines = s.out[0] * s.out[1];
  each_line(s, s.out[2], [&] {
    return [&, means = LineMeans<T>(s)](int64_t plane, int64_t line, int64_t column, int64_t count,
                                        bool is_first) mutable {
      means(input + plane * s.in_numel(), line, column, count, is_first,
            output + (plane * lines + line) * s.out[2] + column);
    };
  });
}

template <typename T>
void avg_by_dimension(const PoolShape& s, const T* input, T* output) {
  using A = SumType<T>;
  const int64_t in = s.in_numel(), out = s.out_numel();
  const WindowSums<A> sums(s);
  parallel_for(0, s.batch * s.channels, std::max<int64_t>(1, kGrainSize / 4 / (in + out)),
               [&](int64_t begin, int64_t end) {
    Widened<T> plane;
    SumBuffers<A> buffers;
    for (int64_t p = begin; p < end; ++p) {
      A* means = sums.of_windows(plane.read(input + p * in, in), buffers);
      for (int64_t o = 0; o < out; ++o) means[o] = window_mean(means[o], sums.divisors()[o]);
      if constexpr (kSumsAreWide<T>)
        convert_run(static_cast<const A*>(means), output + p * out, out);
      else std::copy_n(means, out, output + p * out);
    }
  });
}

// Whether the next function is the faster one: where windows share elements, or their runs of
// channels are short. Long runs are summed as fast in each small window (from measurements).
bool sums_whole_rows(const PoolShape& s) {
  constexpr int64_t kShortRun = 16, kLongRun = 128, kFewTaps = 16;
  const bool has_gaps = !s.adaptive && s.stride[2] > s.kernel[2];
  if (!s.windows_overlap()) return s.channels < kShortRun && !has_gaps;
  return s.channels < kLongRun || s.mean_taps() > kFewTaps;
}

// Half types: whole rows of the image are added up before the windows' columns are, so that most
// sums are of long runs, and each element is converted once for a line of windows.
template <typename T>
void avg_channels_last_by_rows(const PoolShape& s, const T* input, T* output) {
  using A = SumType<T>;
  constexpr int64_t kMaxSums = 8192, kMaxChannels = 1024;  // of the first cache
  const int64_t in = s.in_numel(), channels = s.channels, lines = s.out[0] * s.out[1];
  const Windows windows(s);
  // Windows of a line that are computed together.
  const int64_t apart = s.adaptive ? divup(s.in[2], s.out[2]) : s.stride[2];
  const int64_t together = std::clamp<int64_t>(kMaxSums / (channels * apart), 1, s.out[2]);
  const int64_t pieces = divup(s.out[2], together);
  parallel_for(0, s.batch * lines * pieces,
               std::max<int64_t>(1, kGrainSize / 4 / (channels * s.mean_taps() * together)),
               [&](int64_t begin, int64_t end) {
    std::vector<A> sums;
    for (int64_t k = begin; k < end; ++k) {
      const int64_t line = k / pieces % lines, first = k % pieces * together,
                    last = std::min(first + together, s.out[2]);
      const T* image = input + k / pieces / lines * in * channels;
      const auto window = [&](int64_t z) {
        return windows.at(line / s.out[1], line % s.out[1], z);
      };
      const Window rows = window(first);
      // Windows in the padding end where they begin, or before.
      const int64_t left = rows.r[2].begin, right = std::max(left, window(last - 1).r[2].end);
      // Many channels, a part after the other, so that sums stay in the cache. All of a few
      // channels of a row are one run.
      for (int64_t begin_c = 0; begin_c < channels; begin_c += kMaxChannels) {
        const int64_t part = std::min(kMaxChannels, channels - begin_c);
        const int64_t runs = part == channels ? 1 : right - left;
        const int64_t run = part == channels ? (right - left) * channels : part;
        sums.resize((right - left) * part);
        bool is_first = true;
        for (int64_t x = rows.r[0].begin; x < rows.r[0].end; ++x) {
          for (int64_t y = rows.r[1].begin; y < rows.r[1].end; ++y) {
            const T* row = image + ((x * s.in[1] + y) * s.in[2] + left) * channels + begin_c;
            for (int64_t r = 0; r < runs; ++r) {
              A* to = sums.data() + r * part;
              if (is_first) convert_run(row + r * channels, to, run);
              else add_run(row + r * channels, to, run);
            }
            is_first = false;
          }
        }
        if (is_first) std::fill(sums.begin(), sums.end(), A(0));
        for (int64_t o = first; o < last; ++o) {
          const Window w = window(o);
          const A* columns = sums.data() + (w.r[2].begin - left) * part;
          mean_of_runs([columns, part](int64_t z) { return columns + z * part; },
                       w.r[2].end - w.r[2].begin, static_cast<A>(w.divisor),
                       output + ((k / pieces) * s.out[2] + o) * channels + begin_c, part);
        }
      }
    }
  });
}

template <typename T>
void avg_channels_last(const PoolShape& s, const T* input, T* output) {
  const int64_t in = s.in_numel(), out = s.out_numel(), channels = s.channels;
  const Windows windows(s);
  parallel_for(0, s.batch * out, std::max<int64_t>(1, kGrainSize / 4 / (channels * s.mean_taps())),
               [&](int64_t begin, int64_t end) {
    PixelMeans<T> means(s, channels);
    T* to = output + begin * channels;
    windows.each_pixel(begin, end, [&](int64_t image, const Window& window) {
      means(input + image * in * channels, window, to);
      to += channels;
    });
  });
}

template <typename T>
void avg_small_planes(const PoolShape& s, const T* input, T* output) {
  constexpr int64_t kItem = sizeof(T);
  const int64_t in = s.in_numel(), out = s.out_numel();
  const Windows windows(s);
  each_small_planes(s, kItem, [&] {
    Scratch<T> image(in * kPlanesTogether), to(out * kPlanesTogether);
    std::fill_n(image.get(), in * kPlanesTogether, T(0));
    return [&, in, out, image = std::move(image), to = std::move(to)](int64_t p, int64_t planes,
                                                                      int64_t channels) {
      PixelMeans<T> means(s, channels);
      turn(input + p * in, in, image.get(), channels, planes, in, kItem);
      windows.each([&](int64_t o, const Window& window) {
        means(image.get(), window, to.get() + o * channels);
      });
      turn(to.get(), channels, output + p * out, out, out, planes, kItem);
    };
  });
}

// Lines and turned planes add up the elements of a window in the same order, so that rounding does
// not depend on how many planes there are.
template <typename T>
void avg_planes(const PoolShape& s, const T* input, T* output) {
  if (!has_wide_lines(s)) return avg_by_dimension(s, input, output);
  if (has_small_planes(s)) avg_small_planes(s, input, output);
  else avg_lines(s, input, output);
}

// The windows of a line at once.
template <typename T>
void avg_lines_backward(const PoolShape& s, const T* grad, T* to) {
  using A = SumType<T>;
  const int64_t in = s.in_numel(), out = s.out_numel(), width = s.out[2];
  const std::vector<A> divisors = line_divisors<A>(s);
  parallel_for(0, s.batch * s.channels, std::max<int64_t>(1, kGrainSize / 4 / out),
               [&](int64_t begin, int64_t end) {
    SplitSums<A> sums(s);
    WideSums<T> planes;
    Widened<T> grads;
    const int64_t n = sums.windows();
    std::vector<A> shares(n);  // those behind the last window are 0
    A* __restrict share = shares.data();
    for (int64_t p = begin; p < end; ++p) {
      sums.clear();
      const A* g = grads.read(grad + p * out, out);
      for (int64_t line = 0; line < s.out[0] * s.out[1]; ++line, g += width) {
        const auto r0 = s.window(0, line / s.out[1]), r1 = s.window(1, line % s.out[1]);
        const A rows = static_cast<A>(s.divisor ? 1 : s.counted_length(r0) * s.counted_length(r1));
        for (int64_t c = 0; c < width; ++c) {
          const A divisor = divisors[c] * rows;
          share[c] = divisor != A(0) ? g[c] / divisor : A(0);
        }
        for (int64_t x = r0.begin; x < r0.end; ++x) {
          for (int64_t y = r1.begin; y < r1.end; ++y) {
            A* row = sums.row(x, y);
            for (int64_t z = 0; z < s.kernel[2]; ++z) {
              A* tap = row + sums.tap(z);
#pragma GCC ivdep
              for (int64_t c = 0; c < n; ++c) tap[c] += share[c];
            }
          }
        }
      }
      sums.add_to(planes.open_zeros(to + p * in, in));
      planes.close();
    }
  });
}

template <typename T>
void avg_planes_backward(const PoolShape& s, const T* grad, T* to) {
  using A = SumType<T>;
  if (has_wide_lines(s)) return avg_lines_backward(s, grad, to);
  const int64_t in = s.in_numel(), out = s.out_numel();
  const WindowSums<A> windows(s);
  parallel_for(0, s.batch * s.channels, std::max<int64_t>(1, kGrainSize / 4 / (in + out)),
               [&](int64_t begin, int64_t end) {
    SumBuffers<A> buffers;
    WideSums<T> sums;
    Widened<T> grads;
    std::vector<A> shares(out);
    for (int64_t p = begin; p < end; ++p) {
      const A *g = grads.read(grad + p * out, out), *divisors = windows.divisors();
      for (int64_t o = 0; o < out; ++o) shares[o] = window_mean(g[o], divisors[o]);
      windows.add_windows(shares.data(), sums.open_zeros(to + p * in, in), buffers);
      sums.close();
    }
  });
}

// Images are divided among threads, and where there are few of them, ranges of channels.
template <typename T>
void avg_channels_last_backward(const PoolShape& s, const T* grad, T* to) {
  constexpr int64_t kLine = 64 / sizeof(T);
  const int64_t in = s.in_numel(), out = s.out_numel(), channels = s.channels;
  const PixelGradients<T> gradients(s);
  const int64_t ranges = s.batch % get_num_threads() == 0
                             ? 1
                             : std::clamp<int64_t>(channels / kLine, 1, get_num_threads());
  const int64_t width = divup(channels, ranges);
  parallel_for(0, s.batch * ranges,
               std::max<int64_t>(1, kGrainSize / 4 / (out * s.mean_taps() * width)),
               [&](int64_t begin, int64_t end) {
    typename PixelGradients<T>::Buffers buffers;
    for (int64_t k = begin; k < end; ++k) {
      const int64_t image = k / ranges, first = k % ranges * width;
      if (first >= channels) continue;
      gradients(grad + image * out * channels + first, to + image * in * channels + first, channels,
                std::min(width, channels - first), buffers);
    }
  });
}

// Gradients of larger windows share those of their rows (from measurements).
constexpr int64_t kMaxTurnedTaps = 32;

template <typename T>
void avg_small_planes_backward(const PoolShape& s, const T* grad, T* to) {
  constexpr int64_t kItem = sizeof(T);
  const int64_t in = s.in_numel(), out = s.out_numel();
  const PixelGradients<T> gradients(s);
  each_small_planes(s, kItem, [&] {
    Scratch<T> image(in * kPlanesTogether), grads(out * kPlanesTogether);
    std::fill_n(grads.get(), out * kPlanesTogether, T(0));
    return [&, in, out, image = std::move(image), grads = std::move(grads),
            buffers = typename PixelGradients<T>::Buffers()](int64_t p, int64_t planes,
                                                             int64_t channels) mutable {
      turn(grad + p * out, out, grads.get(), channels, planes, out, kItem);
      gradients(grads.get(), image.get(), channels, channels, buffers);
      turn(image.get(), channels, to + p * in, in, in, planes, kItem);
    };
  });
}

}  // namespace

static void avg_pool_kernel(const PoolShape& s, const Tensor& input, const Tensor& output) {
  dispatch_types<FloatingAndReduced, int64_t>(input.scalar_type(), "avg_pool2d",
                                              [&]<typename T>(TypeTag<T>) {
    if (output.numel() == 0) return;
    const T* from = static_cast<const T*>(input.data_ptr());
    T* to = static_cast<T*>(output.data_ptr());
    if (!s.channels_last) return avg_planes(s, from, to);
    if constexpr (kSumsAreWide<T>) {
      if (sums_whole_rows(s)) return avg_channels_last_by_rows(s, from, to);
    }
    avg_channels_last(s, from, to);
  });
}

static void avg_pool_backward_kernel(const PoolShape& s, const Tensor& grad_output,
                                     const Tensor& grad_input) {
  dispatch_types<FloatingAndReduced, int64_t>(grad_output.scalar_type(), "avg_pool2d_backward",
                                              [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(grad_output.data_ptr());
    T* to = static_cast<T*>(grad_input.data_ptr());
    if (s.channels_last) avg_channels_last_backward(s, from, to);
    else if (has_small_planes(s) && s.mean_taps() <= kMaxTurnedTaps)
      avg_small_planes_backward(s, from, to);
    else avg_planes_backward(s, from, to);
  });
}

REGISTER_DISPATCH(avg_pool_stub, &avg_pool_kernel)
REGISTER_DISPATCH(avg_pool_backward_stub, &avg_pool_backward_kernel)

}  // namespace at::native
