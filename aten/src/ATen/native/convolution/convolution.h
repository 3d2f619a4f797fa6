#pragma once
// What a convolution is, for all that compute one.

#include <ATen/core/Tensor.h>

namespace at::native {

// One or two or three spatial dimensions; lists have one number for each.
struct ConvolutionArgs {
  Tensor input, weight, bias;  // bias may be undefined
  DimVector stride, padding, dilation, output_padding;
  bool transposed = false;
  int64_t groups = 1;

  int64_t spatial() const { return static_cast<int64_t>(stride.size()); }
};

// Sizes of the result, [batch, channels, ...]; args are checked.
DimVector conv_output_sizes(const ConvolutionArgs& args);
// The memory format of the result: channels-last if the input or the weight is.
MemoryFormat conv_memory_format(const Tensor& input, const Tensor& weight);
Tensor empty_in_format(IntArrayRef sizes, ScalarType dtype, MemoryFormat format);
Tensor in_format(const Tensor& t, MemoryFormat format);
// The gradient of a bias: [batch, channels, ...] summed to [channels].
Tensor sum_but_channels(const Tensor& t);

// Pointwise and depthwise ones of contiguous float; nothing for others.
std::optional<Tensor> direct_convolution(const ConvolutionArgs& args);
std::optional<std::tuple<Tensor, Tensor, Tensor>> direct_convolution_backward(
    const ConvolutionArgs& args, const Tensor& grad_output, std::array<bool, 3> mask);

// By gathering windows into columns and multiplying matrices: any type, one to three dimensions.
Tensor slow_convolution(const ConvolutionArgs& args);
std::tuple<Tensor, Tensor, Tensor> slow_convolution_backward(const ConvolutionArgs& args,
                                                             const Tensor& grad_output,
                                                             std::array<bool, 3> mask);

// Windows that slide over an image of up to three dimensions (missing ones are 1).
struct Windows {
  int64_t size[3], kernel[3], stride[3], padding[3], dilation[3], out[3];
  int64_t kernel_numel() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t out_numel() const { return out[0] * out[1] * out[2]; }
  int64_t numel() const { return size[0] * size[1] * size[2]; }
};
// columns [channels * kernel_numel, out_numel] of an image [channels, size], and back, adding up.
void windows_to_columns(const Windows& w, ScalarType dtype, int64_t channels, const void* image,
                        void* columns);
void columns_to_windows(const Windows& w, ScalarType dtype, int64_t channels, const void* columns,
                        void* image);

}  // namespace at::native
