// Convolutions of channels-last images with channels-last weights, as matrix products: neither has
// to be copied into another order. A window is a row of the matrix, with its channels innermost.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/CopyBytes.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/Wrapping.h>
#include <ATen/native/convolution/cpu/convolution.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty.h>

namespace at::native {
namespace {

// Elements of the windows that are in memory at a time, if an image has fewer.
constexpr int64_t kMaxElements = int64_t{1} << 20;

// Images whose windows are multiplied together.
int64_t images_at_once(const Windows& w, int64_t channels) {
  return std::max<int64_t>(
      1, kMaxElements / std::max<int64_t>(1, w.out_numel() * w.kernel_numel() * channels));
}

// A position along dimension d.
struct Place {
  int64_t at[3];
  Place(int64_t index, const int64_t (&sizes)[3])
      : at{index / sizes[2] / sizes[1], index / sizes[2] % sizes[1], index % sizes[2]} {}
};

// What a window reads of one line, from pixel `first` on, with zeros for what lies outside; null
// stands for a line outside of the image. `bytes` for all channels of a pixel. Pixels that follow
// each other are copied together.
void copy_line_of_window(const Windows& w, int64_t first, int64_t bytes, const char* line,
                         char* to) {
  if (!line) return static_cast<void>(std::memset(to, 0, w.kernel[2] * bytes));
  const int64_t together = w.dilation[2] == 1 ? w.kernel[2] : 1, run = together * bytes;
  for (int64_t k = 0; k < w.kernel[2]; k += together, to += run) {
    const int64_t x = first + k * w.dilation[2];
    // Those of the run that lie before the line, and up to its end.
    const int64_t before = std::clamp<int64_t>(-x, 0, together),
                  stop = std::clamp(w.size[2] - x, before, together);
    if (before > 0) std::memset(to, 0, before * bytes);
    if (stop > before)
      copy_bytes(to + before * bytes, line + (x + before) * bytes, (stop - before) * bytes);
    if (together > stop) std::memset(to + stop * bytes, 0, (together - stop) * bytes);
  }
}

// rows[image][window][element of the kernel][channel].
void windows_to_rows(const Windows& w, int64_t images, int64_t bytes, const char* from,
                     char* rows) {
  const int64_t length = w.out_numel(), row = w.kernel_numel() * bytes;
  parallel_for(0, images * length, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, row)),
               [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const Place window(r % length, w.out);
      int64_t first[3];
      for (int d = 0; d < 3; ++d) first[d] = window.at[d] * w.stride[d] - w.padding[d];
      const char* image = from + r / length * w.numel() * bytes;
      char* to = rows + r * row;
      for (int64_t k0 = 0; k0 < w.kernel[0]; ++k0) {
        for (int64_t k1 = 0; k1 < w.kernel[1]; ++k1, to += w.kernel[2] * bytes) {
          const int64_t x0 = first[0] + k0 * w.dilation[0], x1 = first[1] + k1 * w.dilation[1];
          const bool inside = x0 >= 0 && x0 < w.size[0] && x1 >= 0 && x1 < w.size[1];
          const int64_t at = (x0 * w.size[1] + x1) * w.size[2] * bytes;
          copy_line_of_window(w, first[2], bytes, inside ? image + at : nullptr, to);
        }
      }
    }
  });
}

// The windows along one dimension that have a pixel, and for which of their taps it is: those of
// pixel x are from starts[x] to starts[x + 1].
struct WindowsOfPixels {
  struct Match {
    int32_t tap, window;
  };
  std::vector<int32_t> starts;
  std::vector<Match> matches;

  WindowsOfPixels(const Windows& w, int d) {
    for (int64_t x = 0; x < w.size[d]; ++x) {
      starts.push_back(static_cast<int32_t>(matches.size()));
      for (int64_t k = 0; k < w.kernel[d]; ++k) {
        const int64_t begin = x + w.padding[d] - k * w.dilation[d];
        if (begin < 0 || begin % w.stride[d] != 0 || begin / w.stride[d] >= w.out[d]) continue;
        matches.push_back({static_cast<int32_t>(k), static_cast<int32_t>(begin / w.stride[d])});
      }
    }
    starts.push_back(static_cast<int32_t>(matches.size()));
  }
  template <typename F>
  void for_each(int64_t x, const F& f) const {
    for (int32_t i = starts[x]; i < starts[x + 1]; ++i) f(matches[i].tap, matches[i].window);
  }
};

// The reverse: a pixel is the sum of all that windows have for it.
template <typename T>
void sum_rows(const Windows& w, int64_t images, int64_t channels, const T* rows, const T* bias,
              T* to) {
  const int64_t kernel = w.kernel_numel(), pixels = w.numel();
  const WindowsOfPixels along[3] = {{w, 0}, {w, 1}, {w, 2}};
  parallel_for(0, images * pixels,
               std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, kernel * channels)),
               [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const Place pixel(p % pixels, w.size);
      const int64_t image = p / pixels;
      T* sums = to + p * channels;
      std::fill_n(sums, channels, T(0));
      along[0].for_each(pixel.at[0], [&](int64_t k0, int64_t o0) {
        along[1].for_each(pixel.at[1], [&](int64_t k1, int64_t o1) {
          along[2].for_each(pixel.at[2], [&](int64_t k2, int64_t o2) {
            const int64_t window = ((image * w.out[0] + o0) * w.out[1] + o1) * w.out[2] + o2,
                          tap = (k0 * w.kernel[1] + k1) * w.kernel[2] + k2;
            const T* row = rows + (window * kernel + tap) * channels;
#pragma GCC ivdep
            for (int64_t c = 0; c < channels; ++c) sums[c] = wrapping_sum(sums[c], row[c]);
          });
        });
      });
      for (int64_t c = 0; bias && c < channels; ++c) sums[c] = wrapping_sum(sums[c], bias[c]);
    }
  });
}

char* image_of(const Tensor& t, int64_t number) {
  const int64_t image = t.numel() / t.sizes()[0];
  return static_cast<char*>(t.data_ptr()) + number * image * static_cast<int64_t>(t.itemsize());
}

// small = windows(large) * weight', with the bias in each pixel of `small` at first.
void large_to_small(const Windows& w, const Tensor& large, const Tensor& weight, const Tensor& bias,
                    const Tensor& small) {
  const int64_t cl = large.sizes()[1], cs = small.sizes()[1], depth = cl * w.kernel_numel(),
                length = w.out_numel(), step = images_at_once(w, cl), batch = small.sizes()[0],
                item = static_cast<int64_t>(small.itemsize());
  const Tensor rows = empty_tensor({std::min(step, batch) * length, depth}, large.scalar_type());
  for (int64_t b = 0; b < batch; b += step) {
    const int64_t images = std::min(step, batch - b), pixels = images * length;
    char* to = image_of(small, b);
    windows_to_rows(w, images, cl * item, image_of(large, b), static_cast<char*>(rows.data_ptr()));
    if (bias.defined()) {
      parallel_for(0, pixels, std::max<int64_t>(1, kGrainSize / cs),
                   [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p)
          std::memcpy(to + p * cs * item, bias.data_ptr(), cs * item);
      });
    }
    dense_gemm(small.scalar_type(), false, true, pixels, cs, depth, rows.data_ptr(),
               weight.data_ptr(), bias.defined() ? 1 : 0, to);
  }
}

// large = windows of (small * weight).
void small_to_large(const Windows& w, const Tensor& small, const Tensor& weight, const Tensor& bias,
                    const Tensor& large) {
  const int64_t cl = large.sizes()[1], cs = small.sizes()[1], depth = cl * w.kernel_numel(),
                length = w.out_numel(), step = images_at_once(w, cl), batch = large.sizes()[0];
  const Tensor rows = empty_tensor({std::min(step, batch) * length, depth}, large.scalar_type());
  for (int64_t b = 0; b < batch; b += step) {
    const int64_t images = std::min(step, batch - b);
    dense_gemm(large.scalar_type(), false, false, images * length, depth, cs, image_of(small, b),
               weight.data_ptr(), 0, rows.data_ptr());
    dispatch_types<FloatingTypes, ComplexTypes, IntegralTypes>(
        large.scalar_type(), "slow_conv_transpose", [&]<typename T>(TypeTag<T>) {
      sum_rows(w, images, cl, static_cast<const T*>(rows.data_ptr()),
               bias.defined() ? static_cast<const T*>(bias.data_ptr()) : nullptr,
               reinterpret_cast<T*>(image_of(large, b)));
    });
  }
}

// weight = small' * windows(large)
void weight_gradient(const Windows& w, const Tensor& large, const Tensor& small,
                     const Tensor& weight) {
  const int64_t cl = large.sizes()[1], cs = small.sizes()[1], depth = cl * w.kernel_numel(),
                length = w.out_numel(), step = images_at_once(w, cl), batch = large.sizes()[0],
                item = static_cast<int64_t>(large.itemsize());
  const Tensor rows = empty_tensor({std::min(step, batch) * length, depth}, large.scalar_type());
  for (int64_t b = 0; b < batch; b += step) {
    const int64_t images = std::min(step, batch - b);
    windows_to_rows(w, images, cl * item, image_of(large, b), static_cast<char*>(rows.data_ptr()));
    dense_gemm(large.scalar_type(), true, false, cs, depth, images * length, image_of(small, b),
               rows.data_ptr(), b == 0 ? 0 : 1, weight.data_ptr());
  }
}

bool fits(const ConvolutionArgs& a, MemoryFormat format) {
  const ScalarType type = a.input.scalar_type();
  return format != MemoryFormat::Contiguous && a.groups == 1 && !isReducedFloatingType(type) &&
         a.input.is_contiguous(format) && a.weight.is_contiguous(format) && a.input.numel() > 0 &&
         a.weight.numel() > 0;
}

}  // namespace

std::optional<Tensor> channels_last_convolution(const ConvolutionArgs& a) {
  const MemoryFormat format = conv_memory_format(a.input, a.weight);
  if (!fits(a, format)) return std::nullopt;
  Tensor out = at::empty(conv_output_sizes(a), a.input.options(), format), bias;
  if (out.numel() == 0) return std::nullopt;
  if (a.bias.defined()) bias = at::contiguous(a.bias);
  if (a.transposed)
    small_to_large(windows_of(a, out.sizes(), a.input.sizes()), a.input, a.weight, bias, out);
  else large_to_small(windows_of(a, a.input.sizes(), out.sizes()), a.input, a.weight, bias, out);
  return out;
}

std::optional<std::tuple<Tensor, Tensor, Tensor>> channels_last_convolution_backward(
    const ConvolutionArgs& a, const Tensor& grad_output, std::array<bool, 3> mask) {
  const MemoryFormat format = conv_memory_format(a.input, a.weight);
  if (!fits(a, format) || grad_output.numel() == 0) return std::nullopt;
  const Tensor grad = at::contiguous(grad_output, format);
  const Tensor &large = a.transposed ? grad : a.input, &small = a.transposed ? a.input : grad;
  const Windows w = windows_of(a, large.sizes(), small.sizes());
  Tensor grad_input, grad_weight, grad_bias;
  if (mask[0]) {
    grad_input = at::empty(a.input.sizes(), a.input.options(), format);
    if (a.transposed) large_to_small(w, grad, a.weight, Tensor(), grad_input);
    else small_to_large(w, grad, a.weight, Tensor(), grad_input);
  }
  if (mask[1]) {
    grad_weight = at::empty(a.weight.sizes(), a.weight.options(), format);
    weight_gradient(w, large, small, grad_weight);
  }
  if (mask[2]) grad_bias = bias_gradient(grad);
  return std::tuple(grad_input, grad_weight, grad_bias);
}

}  // namespace at::native
