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

// Checked arguments; one number in a list stands for all dimensions.
ConvolutionArgs convolution_args(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                 IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                 bool transposed, IntArrayRef output_padding, int64_t groups);
// Throws unless the gradient has the sizes and the type of the result.
void check_convolution_gradient(const ConvolutionArgs& args, const Tensor& grad_output);
// Sizes of the result, [batch, channels, ...]; args are checked.
DimVector conv_output_sizes(const ConvolutionArgs& args);
// The memory format of the result: channels-last if the input or the weight is.
MemoryFormat conv_memory_format(const Tensor& input, const Tensor& weight);
Tensor empty_in_format(IntArrayRef sizes, TensorOptions options, MemoryFormat format);
Tensor in_format(const Tensor& t, MemoryFormat format);
// The gradient of a bias: [batch, channels, ...] summed to [channels].
Tensor sum_but_channels(const Tensor& t);

}  // namespace at::native
