#pragma once
// The arguments of a convolution, shared by all backends.

#include <ATen/core/Tensor.h>

namespace at::native {

// One, two or three spatial dimensions; lists have one number per dimension.
struct ConvolutionArgs {
  Tensor input, weight, bias;  // bias may be undefined
  DimVector stride, padding, dilation, output_padding;
  bool transposed = false;
  int64_t groups = 1;

  int64_t spatial() const { return static_cast<int64_t>(stride.size()); }
};

// Checks the arguments; a single number in a list applies to all dimensions.
ConvolutionArgs convolution_args(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                 IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                 bool transposed, IntArrayRef output_padding, int64_t groups);
// Throws unless the gradient has the sizes and the type of the result.
void check_convolution_gradient(const ConvolutionArgs& args, const Tensor& grad_output);
// The arguments that gradients are made of, checked with the gradient of the result; complex
// factors are conjugated.
ConvolutionArgs convolution_gradient_args(const Tensor& grad_output, const Tensor& input,
                                          const Tensor& weight, IntArrayRef stride,
                                          IntArrayRef padding, IntArrayRef dilation,
                                          bool transposed, IntArrayRef output_padding,
                                          int64_t groups);
// Sizes of the result, [batch, channels, ...]; args must be checked.
DimVector conv_output_sizes(const ConvolutionArgs& args);
// The memory format of the result: channels-last if the input or the weight is.
MemoryFormat conv_memory_format(const Tensor& input, const Tensor& weight);
Tensor empty_in_format(IntArrayRef sizes, TensorOptions options, MemoryFormat format);
Tensor in_format(const Tensor& t, MemoryFormat format);
// The gradient of a bias: [batch, channels, ...] summed to [channels].
Tensor sum_but_channels(const Tensor& t);

}  // namespace at::native
