// Convolutions: checks arguments, computes shapes, and holds the operators composed of
// `convolution`.

#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/SlidingWindow.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/convolution/convolution.h>
#include <ATen/ops/_convolution_mode.h>
#include <ATen/ops/_convolution_mode_native.h>
#include <ATen/ops/_convolution_native.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/conv1d_native.h>
#include <ATen/ops/conv2d_native.h>
#include <ATen/ops/conv3d_native.h>
#include <ATen/ops/conv_transpose1d_native.h>
#include <ATen/ops/conv_transpose2d_native.h>
#include <ATen/ops/conv_transpose3d_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward_native.h>
#include <ATen/ops/convolution_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/resolve_conj.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

// --- shapes and formats --------------------------------------------------------------------------

MemoryFormat conv_memory_format(const Tensor& input, const Tensor& weight) {
  if (input.dim() == 4) {
    bool last = input.suggest_memory_format() == MemoryFormat::ChannelsLast ||
                weight.suggest_memory_format() == MemoryFormat::ChannelsLast;
    return last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous;
  }
  if (input.dim() == 5) {
    bool last = input.suggest_memory_format() == MemoryFormat::ChannelsLast3d ||
                weight.suggest_memory_format() == MemoryFormat::ChannelsLast3d;
    return last ? MemoryFormat::ChannelsLast3d : MemoryFormat::Contiguous;
  }
  return MemoryFormat::Contiguous;
}

Tensor empty_in_format(IntArrayRef sizes, TensorOptions options, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous)
    return empty_tensor(sizes, options.dtype(), options.device());
  return at::empty(sizes, options, format);
}

Tensor in_format(const Tensor& t, MemoryFormat format) {
  return t.is_contiguous(format) ? t : at::contiguous(t, format);
}

Tensor sum_but_channels(const Tensor& t) {
  DimVector dims{0};
  for (int64_t d = 2; d < t.dim(); ++d) dims.push_back(d);
  return at::sum(t, IntArrayRef(dims));
}

DimVector conv_output_sizes(const ConvolutionArgs& a) {
  DimVector sizes{a.input.sizes()[0],
                  a.transposed ? a.weight.sizes()[1] * a.groups : a.weight.sizes()[0]};
  for (int64_t d = 0; d < a.spatial(); ++d) {
    int64_t in = a.input.sizes()[d + 2],
            window = window_extent(a.weight.sizes()[d + 2], a.dilation[d]);
    sizes.push_back(a.transposed
                        ? (in - 1) * a.stride[d] - 2 * a.padding[d] + window + a.output_padding[d]
                        : count_windows(in + 2 * a.padding[d] - window, a.stride[d]));
  }
  return sizes;
}

namespace {

// One number applies to all dimensions.
DimVector per_dimension(IntArrayRef list, const char* name, int64_t n) {
  if (list.size() == 1) return DimVector(n, list[0]);
  TORCH_CHECK(static_cast<int64_t>(list.size()) == n, "expected ", name,
              " to be a single integer value or a list of ", n,
              " values to match the convolution dimensions, but got ", name, "=", list);
  return DimVector(list);
}

void check_arguments(const ConvolutionArgs& a) {
  int64_t n = a.spatial();
  check_window_argument("convolution", "padding", a.padding, 0,
                        "negative padding is not supported, got ");
  check_window_argument("convolution", "output_padding", a.output_padding, 0,
                        "negative output_padding is not supported, got ");
  check_window_argument("convolution", "stride", a.stride, 1,
                        "non-positive stride is not supported, got ");
  check_window_argument("convolution", "dilation", a.dilation, 1,
                        "non-positive dilation is not supported, got ");
  TORCH_CHECK(a.groups > 0, "convolution: non-positive groups is not supported, got ", a.groups);
  TORCH_CHECK(n >= 1 && n <= 3, "convolution: expected one to three spatial dimensions, got ", n);
  const Tensor &x = a.input, &w = a.weight;
  TORCH_CHECK(w.dim() == x.dim(), "Expected ", x.dim(), "-dimensional weight for ", x.dim(),
              "-dimensional input ", x.sizes(), ", but got ", w.dim(),
              "-dimensional weight of size ", w.sizes(), " instead");
  TORCH_CHECK(w.sizes()[0] >= a.groups, "Given groups=", a.groups,
              ", expected weight to be at least ", a.groups,
              " at dimension 0, but got weight of size ", w.sizes(), " instead");
  TORCH_CHECK(w.sizes()[0] % a.groups == 0, "Given groups=", a.groups,
              ", expected weight to be divisible by ", a.groups,
              " at dimension 0, but got weight of size ", w.sizes(), " instead");
  int64_t channels = a.transposed ? w.sizes()[0] : w.sizes()[1] * a.groups;
  TORCH_CHECK(x.sizes()[1] == channels, "Given ",
              a.transposed ? "transposed=1" : "groups=" + std::to_string(a.groups),
              ", weight of size ", w.sizes(), ", expected input", x.sizes(), " to have ", channels,
              " channels, but got ", x.sizes()[1], " channels instead");
  int64_t out = a.transposed ? w.sizes()[1] * a.groups : w.sizes()[0];
  TORCH_CHECK(!a.bias.defined() || (a.bias.dim() == 1 && a.bias.sizes()[0] == out), "Given ",
              a.transposed ? "transposed=1, " : "", "weight of size ", w.sizes(),
              ", expected bias to be 1-dimensional with ", out, " elements, but got bias of size ",
              a.bias.defined() ? a.bias.sizes() : IntArrayRef(), " instead");
  TORCH_CHECK(x.scalar_type() == w.scalar_type(), "Input type (", dtypeName(x.scalar_type()),
              ") and weight type (", dtypeName(w.scalar_type()), ") should be the same");
  TORCH_CHECK(!a.bias.defined() || a.bias.scalar_type() == x.scalar_type(), "Input type (",
              dtypeLegacyName(x.scalar_type()), ") and bias type (",
              a.bias.defined() ? dtypeLegacyName(a.bias.scalar_type()) : "",
              ") should be the same");
  check_same_device("convolution", {&x, &w, &a.bias});
  TORCH_CHECK_NOT_IMPLEMENTED(x.scalar_type() != kBool,
                              "\"slow_conv2d_cpu\" not implemented for 'Bool'");
  for (int64_t d = 0; d < n; ++d) {
    TORCH_CHECK(w.sizes()[d + 2] > 0, "convolution: the kernel has no elements: weight of size ",
                w.sizes());
    int64_t window = window_extent(w.sizes()[d + 2], a.dilation[d]);
    if (!a.transposed) {
      DimVector padded, kernel;
      for (int64_t e = 0; e < n; ++e) {
        padded.push_back(x.sizes()[e + 2] + 2 * a.padding[e]);
        kernel.push_back(window_extent(w.sizes()[e + 2], a.dilation[e]));
      }
      TORCH_CHECK(padded[d] >= window,
                  "Calculated padded input size per channel: ", IntArrayRef(padded),
                  ". Kernel size: ", IntArrayRef(kernel),
                  ". Kernel size can't be greater than actual input size");
    } else {
      TORCH_CHECK(
          a.output_padding[d] < a.stride[d] || a.output_padding[d] < a.dilation[d],
          "output padding must be smaller than either stride or dilation, but got output_padding: ",
          IntArrayRef(a.output_padding), " stride: ", IntArrayRef(a.stride),
          " dilation: ", IntArrayRef(a.dilation));
    }
  }
  DimVector sizes = conv_output_sizes(a);
  for (int64_t d = 0; d < n; ++d) {
    TORCH_CHECK(sizes[d + 2] > 0 || x.sizes()[d + 2] == 0,
                "Given input size per channel: ", x.sizes().slice(2),
                ". Calculated output size per channel: ", IntArrayRef(sizes).slice(2),
                ". Output size is too small");
  }
  checked_numel(sizes, "convolution");
}

}  // namespace

ConvolutionArgs convolution_args(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                 IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                 bool transposed, IntArrayRef output_padding, int64_t groups) {
  int64_t n = weight.dim() - 2;
  TORCH_CHECK(n > 0, "weight should have at least three dimensions, got weight of size ",
              weight.sizes());
  ConvolutionArgs a{input,
                    weight,
                    bias,
                    per_dimension(stride, "stride", n),
                    per_dimension(padding, "padding", n),
                    per_dimension(dilation, "dilation", n),
                    per_dimension(output_padding, "output_padding", n),
                    transposed,
                    groups};
  check_arguments(a);
  return a;
}

// --- the operators -------------------------------------------------------------------------------

Tensor convolution_meta(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                        IntArrayRef dilation, bool transposed, IntArrayRef output_padding,
                        int64_t groups) {
  ConvolutionArgs a = convolution_args(input, weight, value_or_undefined(bias), stride, padding,
                                       dilation, transposed, output_padding, groups);
  return at::empty(conv_output_sizes(a), input.options(), conv_memory_format(input, weight));
}

Tensor mkldnn_convolution_meta(const Tensor& self, const Tensor& weight,
                               const std::optional<Tensor>& bias, IntArrayRef padding,
                               IntArrayRef stride, IntArrayRef dilation, int64_t groups) {
  return convolution_meta(self, weight, bias, stride, padding, dilation, false,
                          IntArrayRef(int64_t(0)), groups);
}

void check_convolution_gradient(const ConvolutionArgs& a, const Tensor& grad_output) {
  TORCH_CHECK(grad_output.sizes() == IntArrayRef(conv_output_sizes(a)),
              "convolution_backward: the gradient has sizes ", grad_output.sizes(), ", expected ",
              IntArrayRef(conv_output_sizes(a)));
  TORCH_CHECK(grad_output.scalar_type() == a.input.scalar_type(),
              "convolution_backward: the gradient has type ", dtypeName(grad_output.scalar_type()),
              ", the input ", dtypeName(a.input.scalar_type()));
}

ConvolutionArgs convolution_gradient_args(const Tensor& grad_output, const Tensor& input,
                                          const Tensor& weight, IntArrayRef stride,
                                          IntArrayRef padding, IntArrayRef dilation,
                                          bool transposed, IntArrayRef output_padding,
                                          int64_t groups) {
  ConvolutionArgs a = convolution_args(input, weight, Tensor(), stride, padding, dilation,
                                       transposed, output_padding, groups);
  check_convolution_gradient(a, grad_output);
  if (input.is_complex()) {
    // The factor of the gradient is conjugated: both inputs, since each gradient is linear in the
    // other one.
    a.input = at::resolve_conj(at::conj(a.input));
    a.weight = at::resolve_conj(at::conj(a.weight));
  }
  return a;
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward_meta(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight,
    std::optional<IntArrayRef> /*bias_sizes*/, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups,
    std::array<bool, 3> output_mask) {
  ConvolutionArgs a = convolution_args(input, weight, Tensor(), stride, padding, dilation,
                                       transposed, output_padding, groups);
  check_convolution_gradient(a, grad_output);
  auto gradient = [&](bool needed, IntArrayRef sizes) {
    return needed ? at::empty(sizes, input.options()) : Tensor();
  };
  return {gradient(output_mask[0], input.sizes()), gradient(output_mask[1], weight.sizes()),
          gradient(output_mask[2], grad_output.sizes().slice(1, 1))};
}

Tensor _convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                    IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, bool transposed,
                    IntArrayRef output_padding, int64_t groups, bool /*benchmark*/,
                    bool /*deterministic*/, bool /*cudnn_enabled*/, bool /*allow_tf32*/) {
  return at::convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                         groups);
}

namespace {

// Runs f on the input with a batch dimension.
template <typename F>
Tensor batched(const Tensor& input, int64_t n, const char* op, const F& f) {
  TORCH_CHECK(input.dim() == n + 1 || input.dim() == n + 2, "Expected ", n + 1, "D (unbatched) or ",
              n + 2, "D (batched) input to ", op, ", but got input of size: ", input.sizes());
  return input.dim() == n + 2 ? f(input) : at::squeeze(f(at::unsqueeze(input, 0)), 0);
}

Tensor conv(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
            IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups,
            int64_t n, const char* op) {
  TORCH_CHECK(weight.dim() == n + 2, "Expected ", n + 2, "-dimensional weight for ", op,
              ", but got weight of size ", weight.sizes());
  return batched(input, n, op, [&](const Tensor& x) {
    return at::convolution(x, weight, bias, stride, padding, dilation, false,
                           IntArrayRef(int64_t(0)), groups);
  });
}

Tensor conv_padded(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                   IntArrayRef stride, std::string_view padding, IntArrayRef dilation,
                   int64_t groups, int64_t n, const char* op) {
  TORCH_CHECK(weight.dim() == n + 2, "Expected ", n + 2, "-dimensional weight for ", op,
              ", but got weight of size ", weight.sizes());
  return batched(input, n, op, [&](const Tensor& x) {
    return at::_convolution_mode(x, weight, bias, stride, padding, dilation, groups);
  });
}

Tensor conv_transpose(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                      IntArrayRef stride, IntArrayRef padding, IntArrayRef output_padding,
                      int64_t groups, IntArrayRef dilation, int64_t n, const char* op) {
  TORCH_CHECK(weight.dim() == n + 2, "Expected ", n + 2, "-dimensional weight for ", op,
              ", but got weight of size ", weight.sizes());
  return batched(input, n, op, [&](const Tensor& x) {
    return at::convolution(x, weight, bias, stride, padding, dilation, true, output_padding,
                           groups);
  });
}

}  // namespace

Tensor _convolution_mode(const Tensor& input, const Tensor& weight,
                         const std::optional<Tensor>& bias, IntArrayRef stride,
                         std::string_view padding, IntArrayRef dilation, int64_t groups) {
  if (padding == "valid") {
    return at::convolution(input, weight, bias, stride, IntArrayRef(int64_t(0)), dilation, false,
                           IntArrayRef(int64_t(0)), groups);
  }
  TORCH_CHECK(padding == "same", "Invalid padding string: '", padding, "'");
  int64_t n = weight.dim() - 2;
  TORCH_CHECK(n > 0 && input.dim() == weight.dim(), "convolution: input of size ", input.sizes(),
              " does not fit weight of size ", weight.sizes());
  DimVector strides = per_dimension(stride, "stride", n),
            dilations = per_dimension(dilation, "dilation", n), both, more;
  bool even = true;
  for (int64_t d = 0; d < n; ++d) {
    TORCH_CHECK(strides[d] == 1, "padding='same' is not supported for strided convolutions");
    int64_t total = dilations[d] * (weight.sizes()[d + 2] - 1);
    both.push_back(total / 2);
    more.push_back(total % 2);
    even &= total % 2 == 0;
  }
  if (even)
    return at::convolution(input, weight, bias, stride, both, dilation, false,
                           IntArrayRef(int64_t(0)), groups);
  // With an odd amount of padding, the extra element goes at the end.
  DimVector pad;
  for (int64_t d = n - 1; d >= 0; --d) {
    pad.push_back(0);
    pad.push_back(more[d]);
  }
  return at::convolution(at::constant_pad_nd(input, pad, 0), weight, bias, stride, both, dilation,
                         false, IntArrayRef(int64_t(0)), groups);
}

Tensor conv1d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return conv(input, weight, bias, stride, padding, dilation, groups, 1, "conv1d");
}
Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return conv(input, weight, bias, stride, padding, dilation, groups, 2, "conv2d");
}
Tensor conv3d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation, int64_t groups) {
  return conv(input, weight, bias, stride, padding, dilation, groups, 3, "conv3d");
}
Tensor conv1d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups) {
  return conv_padded(input, weight, bias, stride, padding, dilation, groups, 1, "conv1d");
}
Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups) {
  return conv_padded(input, weight, bias, stride, padding, dilation, groups, 2, "conv2d");
}
Tensor conv3d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              IntArrayRef stride, std::string_view padding, IntArrayRef dilation, int64_t groups) {
  return conv_padded(input, weight, bias, stride, padding, dilation, groups, 3, "conv3d");
}
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                        IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) {
  return conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, 1,
                        "conv_transpose1d");
}
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                        IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) {
  return conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, 2,
                        "conv_transpose2d");
}
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                        IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) {
  return conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation, 3,
                        "conv_transpose3d");
}

}  // namespace at::native
