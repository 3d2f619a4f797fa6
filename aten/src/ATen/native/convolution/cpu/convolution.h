#pragma once
// CPU implementations of convolutions other than oneDNN.

#include <ATen/native/convolution/convolution.h>
#include <ATen/native/convolution/unfold.h>

namespace at::native {

inline char* at_element(const Tensor& t, int64_t index) {
  return static_cast<char*>(t.data_ptr()) + index * static_cast<int64_t>(t.itemsize());
}

// Whether oneDNN may compute it.
bool has_convolution_library(const ConvolutionArgs& args);

// Pointwise and depthwise convolutions of contiguous floats and doubles; returns nothing, or leaves
// gradients undefined, where others take less time.
std::optional<Tensor> direct_convolution(const ConvolutionArgs& args);
std::array<Tensor, 3> direct_convolution_backward(const ConvolutionArgs& args,
                                                  const Tensor& grad_output,
                                                  std::array<bool, 3> mask);

// By gathering windows into columns and multiplying matrices: any type, one to three dimensions.
Tensor slow_convolution(const ConvolutionArgs& args);
std::tuple<Tensor, Tensor, Tensor> slow_convolution_backward(const ConvolutionArgs& args,
                                                             const Tensor& grad_output,
                                                             std::array<bool, 3> mask);

// The same where all is channels-last and no copy is needed; return nothing for others.
std::optional<Tensor> channels_last_convolution(const ConvolutionArgs& args);
std::optional<std::tuple<Tensor, Tensor, Tensor>> channels_last_convolution_backward(
    const ConvolutionArgs& args, const Tensor& grad_output, std::array<bool, 3> mask);

// The bias with the dimensions of a result, by channels; undefined if there is none.
Tensor bias_of_result(const ConvolutionArgs& args);
// The sums of each channel.
Tensor bias_gradient(const Tensor& grad);

// columns [channels * kernel_numel, out_numel] of an image [channels, size], and the reverse, which
// accumulates.
void windows_to_columns(const Windows& w, ScalarType dtype, int64_t channels, const void* image,
                        void* columns);
void columns_to_windows(const Windows& w, ScalarType dtype, int64_t channels, const void* columns,
                        void* image);

}  // namespace at::native
