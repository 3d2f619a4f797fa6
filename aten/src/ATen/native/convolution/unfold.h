#pragma once
// Sliding windows over images as columns of a matrix: im2col, col2im, and convolutions as matrix
// products.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/convolution/convolution.h>

namespace at::native {

// Sliding windows over an image of up to three dimensions (missing ones are 1).
struct Windows {
  int64_t size[3], kernel[3], stride[3], padding[3], dilation[3], out[3];
  C10_HOST_DEVICE int64_t kernel_numel() const { return kernel[0] * kernel[1] * kernel[2]; }
  C10_HOST_DEVICE int64_t out_numel() const { return out[0] * out[1] * out[2]; }
  C10_HOST_DEVICE int64_t numel() const { return size[0] * size[1] * size[2]; }
};
// The windows over the larger side of a convolution: its input, or the result of a transposed one.
// `image` and `out` are sizes [batch, channels, ...] of the larger and the smaller side.
Windows windows_of(const ConvolutionArgs& args, IntArrayRef image, IntArrayRef out);

// columns [batch, channels * kernel_numel, out_numel] of images [batch, channels, ...], contiguous.
DECLARE_DISPATCH(void (*)(const Windows&, const Tensor& images, const Tensor& columns),
                 im2col_stub);
// The reverse, which adds where windows overlap; the images must be zero initially.
DECLARE_DISPATCH(void (*)(const Windows&, const Tensor& columns, const Tensor& images),
                 col2im_stub);

}  // namespace at::native
