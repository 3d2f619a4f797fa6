// Convolutions that are faster without a library that has its own layouts, because nothing must be
// reordered: windows of one element are matrix products, and depthwise ones, or those of an image
// of one channel, are bound by memory.

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/native/common/Gemm.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/cpu/convolution.h>
#include <ATen/native/convolution/depthwise.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/zero_.h>

namespace at::native {
namespace {

bool all_equal(const DimVector& list, int64_t value) {
  for (int64_t x : list) {
    if (x != value) return false;
  }
  return true;
}

bool is_plain_image(const ConvolutionArgs& a) {
  const ScalarType type = a.input.scalar_type();
  return (type == kFloat || type == kDouble) && a.input.is_cpu() && !a.transposed &&
         a.input.numel() > 0 && a.weight.numel() > 0 &&
         conv_memory_format(a.input, a.weight) == MemoryFormat::Contiguous;
}

// --- windows of one element ----------------------------------------------------------------------

// Below this many pixels per plane the products are too narrow, and oneDNN's direct kernels of
// floats are faster.
constexpr int64_t kMinPixels = 128;

bool is_pointwise(const ConvolutionArgs& a) {
  const bool one_by_one = a.groups > 1 && a.weight.sizes()[1] == 1;
  if (!is_plain_image(a) || one_by_one || !all_equal(a.padding, 0)) return false;
  int64_t pixels = 1;
  for (int64_t d = 2; d < a.input.dim(); ++d) {
    if (a.weight.sizes()[d] != 1) return false;
    pixels *= a.input.sizes()[d];
  }
  return pixels >= kMinPixels || a.input.scalar_type() != kFloat;
}

// `in` and `out` are the channels of one group.
struct Pointwise {
  int64_t blocks, groups, in, out, pixels;
  Pointwise(const ConvolutionArgs& a, const Tensor& read)
      : blocks(a.input.sizes()[0] * a.groups),
        groups(a.groups),
        in(a.weight.sizes()[1]),
        out(a.weight.sizes()[0] / a.groups),
        pixels(read.numel() / (blocks * in)) {}
};

// The pixels that are read.
Tensor read_pixels(const ConvolutionArgs& a, const Tensor& image) {
  Tensor read = image;
  for (int64_t d = 0; d < a.spatial(); ++d) {
    if (a.stride[d] != 1) read = at::slice(read, d + 2, 0, INT64_MAX, a.stride[d]);
  }
  return read;
}

Tensor pointwise(const ConvolutionArgs& a) {
  const Tensor x = at::contiguous(read_pixels(a, a.input)), w = at::contiguous(a.weight);
  const Pointwise s(a, x);
  Tensor y = empty_tensor(conv_output_sizes(a), a.input.scalar_type());
  if (const Tensor bias = bias_of_result(a); bias.defined()) at::_ops::copy_::call(y, bias, false);
  for (int64_t n = 0; n < s.blocks; ++n) {
    dense_gemm(y.scalar_type(), false, false, s.out, s.pixels, s.in,
               at_element(w, n % s.groups * s.out * s.in), at_element(x, n * s.in * s.pixels),
               a.bias.defined() ? 1 : 0, at_element(y, n * s.out * s.pixels));
  }
  return y;
}

void pointwise_backward(const ConvolutionArgs& a, const Tensor& dy, Tensor dx, const Tensor& dw) {
  Tensor w = at::contiguous(a.weight), x = read_pixels(a, a.input);
  if (dw.defined()) x = at::contiguous(x);
  const Pointwise s(a, x);
  const bool steps = !all_equal(a.stride, 1);
  Tensor to_read = dx;
  if (dx.defined() && steps) to_read = empty_tensor(x.sizes(), x.scalar_type());
  for (int64_t n = 0; n < s.blocks; ++n) {
    const int64_t weight = n % s.groups * s.out * s.in;
    const void* from = at_element(dy, n * s.out * s.pixels);
    if (dx.defined())
      dense_gemm(x.scalar_type(), true, false, s.in, s.pixels, s.out, at_element(w, weight), from,
                 0, at_element(to_read, n * s.in * s.pixels));
    if (dw.defined())
      dense_gemm(x.scalar_type(), false, true, s.out, s.in, s.pixels, from,
                 at_element(x, n * s.in * s.pixels), n >= s.groups ? 1 : 0, at_element(dw, weight));
  }
  if (dx.defined() && steps) {
    at::zero_(dx);
    Tensor places = read_pixels(a, dx);
    at::_ops::copy_::call(places, to_read, false);
  }
}

// --- depthwise -----------------------------------------------------------------------------------

// With an input of one channel there is one group, and oneDNN's blocks of channels are mostly
// empty. So many results of it are faster one by one.
constexpr int64_t kFewResults = 8;

// The largest window that is; from measurements.
int64_t max_depthwise_window(const ConvolutionArgs& a) {
  if (a.spatial() == 1) return 1024;
  return a.spatial() == 2 && all_equal(a.stride, 1) ? 256 : 64;
}

bool is_depthwise(const ConvolutionArgs& a) {
  if (!is_plain_image(a) || a.weight.sizes()[1] != 1) return false;
  if (a.groups == 1) {
    const bool steps = !all_equal(a.stride, 1);
    if (a.spatial() > (steps ? 1 : 2) || a.weight.sizes()[0] > (steps ? 1 : kFewResults))
      return false;
  }
  int64_t window = 1;
  for (int64_t d = 2; d < a.weight.dim(); ++d) window *= a.weight.sizes()[d];
  return window <= max_depthwise_window(a);
}

// Where oneDNN's depthwise kernels of floats take less time, the way to its layout and back
// included; from measurements with AVX2. For weights they exist only up to 3 x 3.
bool suits_library(const ConvolutionArgs& a) {
  constexpr int64_t kMinGroups = 8, kMinPixels = 1 << 14;
  return a.input.scalar_type() == kFloat && a.spatial() == 2 && a.groups >= kMinGroups &&
         a.weight.sizes()[0] == a.groups && all_equal(a.dilation, 1) &&
         a.input.numel() >= kMinPixels;
}
bool library_slides_faster(const ConvolutionArgs& a) {
  return suits_library(a) && !all_equal(a.stride, 1) && has_convolution_library(a);
}
bool library_correlates_faster(const ConvolutionArgs& a) {
  constexpr int64_t kMaxWindow = 3, kSmallPlane = 28 * 28;
  if (!suits_library(a) || a.weight.sizes()[2] > kMaxWindow || a.weight.sizes()[3] > kMaxWindow)
    return false;
  const int64_t plane = a.input.sizes()[2] * a.input.sizes()[3];
  return (plane <= kSmallPlane || !all_equal(a.stride, 1)) && has_convolution_library(a);
}

DepthwiseShape depthwise_shape(const ConvolutionArgs& a) {
  DimVector out = conv_output_sizes(a);
  DepthwiseShape s{a.input.sizes()[0], a.groups, out[1] / a.groups, {}, {}, {}, {}, {}, {}};
  const int64_t absent = 3 - a.spatial();
  for (int d = 0; d < absent; ++d)
    s.in[d] = s.out[d] = s.kernel[d] = s.stride[d] = s.dilation[d] = 1;
  for (int64_t d = 0; d < a.spatial(); ++d) {
    const int64_t to = d + absent;
    s.in[to] = a.input.sizes()[d + 2];
    s.out[to] = out[d + 2];
    s.kernel[to] = a.weight.sizes()[d + 2];
    s.stride[to] = a.stride[d];
    s.padding[to] = a.padding[d];
    s.dilation[to] = a.dilation[d];
  }
  return s;
}

// The gradient with respect to the input is a convolution of the same kind if the stride is 1.
std::optional<DepthwiseShape> gradient_shape(const DepthwiseShape& s) {
  DepthwiseShape back = s;
  for (int d = 0; d < 3; ++d) {
    back.in[d] = s.out[d];
    back.out[d] = s.in[d];
    back.padding[d] = s.dilation[d] * (s.kernel[d] - 1) - s.padding[d];
    if (s.stride[d] != 1 || back.padding[d] < 0) return std::nullopt;
  }
  return back;
}

}  // namespace

std::optional<Tensor> direct_convolution(const ConvolutionArgs& a) {
  if (is_pointwise(a)) {
    record_backend("convolution", "pointwise: matrix products");
    return pointwise(a);
  }
  if (!is_depthwise(a) || library_slides_faster(a)) return std::nullopt;
  record_backend("convolution", "depthwise kernel");
  DepthwiseShape s = depthwise_shape(a);
  Tensor x = at::contiguous(a.input), w = at::contiguous(a.weight),
         y = empty_tensor(conv_output_sizes(a), x.scalar_type()), bias;
  if (a.bias.defined()) bias = at::contiguous(a.bias);
  depthwise_stub(kCPU, x.scalar_type(), s, x.data_ptr(), w.data_ptr(),
                 bias.defined() ? bias.data_ptr() : nullptr, y.data_ptr());
  return y;
}

std::array<Tensor, 3> direct_convolution_backward(const ConvolutionArgs& a,
                                                  const Tensor& grad_output,
                                                  std::array<bool, 3> mask) {
  const bool point = is_pointwise(a);
  if (!point && !is_depthwise(a)) return {};
  DepthwiseShape s{};
  std::optional<DepthwiseShape> back;
  std::array<bool, 3> own = mask;
  if (!point) {
    s = depthwise_shape(a);
    back = gradient_shape(s);
    own[0] &= back.has_value();
    own[1] &= !library_correlates_faster(a);
    own[2] &= own[0] == mask[0] && own[1] == mask[1];
  }
  if (!own[0] && !own[1] && !own[2]) return {};
  const Tensor dy = at::contiguous(grad_output);
  Tensor dx, dw, db;
  const ScalarType type = a.input.scalar_type();
  if (own[0]) dx = empty_tensor(a.input.sizes(), type);
  if (own[1]) dw = empty_tensor(a.weight.sizes(), type);
  if (point) {
    pointwise_backward(a, dy, dx, dw);
  } else {
    if (own[0])
      depthwise_input_stub(kCPU, type, *back, dy.data_ptr(), at::contiguous(a.weight).data_ptr(),
                           dx.data_ptr());
    if (own[1])
      depthwise_weights_stub(kCPU, type, s, at::contiguous(a.input).data_ptr(), dy.data_ptr(),
                             dw.data_ptr());
  }
  if (own[2]) db = sum_but_channels(dy);
  return {dx, dw, db};
}

}  // namespace at::native
