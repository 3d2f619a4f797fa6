// Convolutions that are faster without a library that has its own layouts, because nothing must be
// reordered: windows of one element are matrix products, and depthwise ones are bound by memory.

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/cpu/convolution.h>
#include <ATen/native/convolution/depthwise.h>
#include <ATen/ops/contiguous.h>

namespace at::native {
namespace {

bool all_equal(const DimVector& list, int64_t value) {
  for (int64_t x : list) {
    if (x != value) return false;
  }
  return true;
}

bool plain_float(const ConvolutionArgs& a) {
  return a.input.scalar_type() == kFloat && a.input.is_cpu() && !a.transposed &&
         a.input.numel() > 0 && a.weight.numel() > 0 &&
         conv_memory_format(a.input, a.weight) == MemoryFormat::Contiguous;
}

float* data(const Tensor& t) { return static_cast<float*>(t.data_ptr()); }

// --- windows of one element ----------------------------------------------------------------------

// Below this many pixels per plane the products are too narrow, and oneDNN's direct kernels are
// faster.
constexpr int64_t kMinPixels = 128;

bool is_pointwise(const ConvolutionArgs& a) {
  if (!plain_float(a) || a.groups != 1 || !all_equal(a.stride, 1) || !all_equal(a.padding, 0))
    return false;
  int64_t pixels = 1;
  for (int64_t d = 2; d < a.input.dim(); ++d) {
    if (a.weight.sizes()[d] != 1) return false;
    pixels *= a.input.sizes()[d];
  }
  return pixels >= kMinPixels;
}

struct Pointwise {
  int64_t batch, in, out, pixels;
  explicit Pointwise(const ConvolutionArgs& a)
      : batch(a.input.sizes()[0]),
        in(a.input.sizes()[1]),
        out(a.weight.sizes()[0]),
        pixels(a.input.numel() / (batch * in)) {}
};

Tensor pointwise(const ConvolutionArgs& a) {
  Pointwise s(a);
  Tensor x = at::contiguous(a.input), w = at::contiguous(a.weight),
         y = empty_tensor(conv_output_sizes(a), kFloat), bias;
  if (a.bias.defined()) bias = at::contiguous(a.bias);
  for (int64_t n = 0; n < s.batch; ++n) {
    float* to = data(y) + n * s.out * s.pixels;
    if (bias.defined()) {
      for (int64_t c = 0; c < s.out; ++c) std::fill_n(to + c * s.pixels, s.pixels, data(bias)[c]);
    }
    dense_gemm(kFloat, false, false, s.out, s.pixels, s.in, data(w), data(x) + n * s.in * s.pixels,
               bias.defined() ? 1 : 0, to);
  }
  return y;
}

void pointwise_backward(const ConvolutionArgs& a, const Tensor& dy, const Tensor& dx,
                        const Tensor& dw) {
  Pointwise s(a);
  Tensor x = at::contiguous(a.input), w = at::contiguous(a.weight);
  for (int64_t n = 0; n < s.batch; ++n) {
    const float* from = data(dy) + n * s.out * s.pixels;
    if (dx.defined())
      dense_gemm(kFloat, true, false, s.in, s.pixels, s.out, data(w), from, 0,
                 data(dx) + n * s.in * s.pixels);
    if (dw.defined())
      dense_gemm(kFloat, false, true, s.out, s.in, s.pixels, from, data(x) + n * s.in * s.pixels,
                 n > 0 ? 1 : 0, data(dw));
  }
}

// --- depthwise -----------------------------------------------------------------------------------

bool is_depthwise(const ConvolutionArgs& a) {
  if (!plain_float(a) || a.spatial() != 2 || a.groups == 1 || a.weight.sizes()[1] != 1)
    return false;
  return a.weight.sizes()[2] * a.weight.sizes()[3] <= 64;
}

DepthwiseShape depthwise_shape(const ConvolutionArgs& a) {
  DimVector out = conv_output_sizes(a);
  DepthwiseShape s{a.input.sizes()[0], out[1], out[1] / a.groups, {}, {}, {}, {}, {}, {}, false};
  for (int d = 0; d < 2; ++d) {
    s.in[d] = a.input.sizes()[d + 2];
    s.out[d] = out[d + 2];
    s.kernel[d] = a.weight.sizes()[d + 2];
    s.stride[d] = a.stride[d];
    s.padding[d] = a.padding[d];
    s.dilation[d] = a.dilation[d];
  }
  return s;
}

// The gradient with respect to the input is a convolution of the same kind if the stride is 1.
bool gradient_shape(const DepthwiseShape& s, DepthwiseShape& back) {
  back = s;
  back.flipped = true;
  if (s.multiplier != 1) return false;
  for (int d = 0; d < 2; ++d) {
    back.in[d] = s.out[d];
    back.out[d] = s.in[d];
    back.padding[d] = s.dilation[d] * (s.kernel[d] - 1) - s.padding[d];
    if (s.stride[d] != 1 || back.padding[d] < 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Tensor> direct_convolution(const ConvolutionArgs& a) {
  if (is_pointwise(a)) {
    record_backend("convolution", "pointwise: matrix products");
    return pointwise(a);
  }
  if (!is_depthwise(a)) return std::nullopt;
  record_backend("convolution", "depthwise kernel");
  DepthwiseShape s = depthwise_shape(a);
  Tensor x = at::contiguous(a.input), w = at::contiguous(a.weight),
         y = empty_tensor(conv_output_sizes(a), kFloat), bias;
  if (a.bias.defined()) bias = at::contiguous(a.bias);
  depthwise_stub(kCPU, s, data(x), data(w), bias.defined() ? data(bias) : nullptr, data(y));
  return y;
}

std::optional<std::tuple<Tensor, Tensor, Tensor>> direct_convolution_backward(
    const ConvolutionArgs& a, const Tensor& grad_output, std::array<bool, 3> mask) {
  bool point = is_pointwise(a);
  if (!point && !is_depthwise(a)) return std::nullopt;
  DepthwiseShape s{}, back{};
  if (!point) {
    s = depthwise_shape(a);
    if (mask[0] && !gradient_shape(s, back)) return std::nullopt;
  }
  Tensor dy = at::contiguous(grad_output), dx, dw, db;
  if (mask[0]) dx = empty_tensor(a.input.sizes(), kFloat);
  if (mask[1]) dw = empty_tensor(a.weight.sizes(), kFloat);
  if (point) {
    pointwise_backward(a, dy, dx, dw);
  } else {
    if (mask[0])
      depthwise_stub(kCPU, back, data(dy), data(at::contiguous(a.weight)), nullptr, data(dx));
    if (mask[1]) depthwise_weights_stub(kCPU, s, data(at::contiguous(a.input)), data(dy), data(dw));
  }
  if (mask[2]) db = sum_but_channels(dy);
  return std::make_tuple(dx, dw, db);
}

}  // namespace at::native
