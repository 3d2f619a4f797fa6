#pragma once
// Convolutions by cuDNN.

#include <ATen/native/convolution/convolution.h>

namespace at::native {

// Which of the three tensors is computed from the other two.
enum class ConvolutionSide { large, small, weight };

// Whether cuDNN is there, switched on, and has convolutions of this type and size.
bool cudnn_takes(const ConvolutionArgs& args);

// A convolution with `weight` takes `large` to `small`; a transposed one is computed from the small
// side to the large one. All are dense in one memory format. Returns false if cuDNN has no way to
// do it; the result is written otherwise.
bool cudnn_convolution(const ConvolutionArgs& args, ConvolutionSide computed, const Tensor& large,
                       const Tensor& small, const Tensor& weight);

}  // namespace at::native
