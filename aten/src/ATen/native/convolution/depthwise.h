#pragma once
// Kernels of convolutions that need no library.

#include <ATen/native/common/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// A convolution of images with one small window each: channel c of the `multiplier` times as many
// on one side belongs to channel c / multiplier of the other. Images of fewer dimensions have sizes
// of one in front.
struct DepthwiseShape {
  int64_t batch, groups, multiplier;
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];

  int64_t window() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t in_numel() const { return in[0] * in[1] * in[2]; }
  int64_t out_numel() const { return out[0] * out[1] * out[2]; }
};

// y[n, c] = bias[c] + the window w[c] slid over x[n, c / multiplier], of floats or doubles. bias
// may be null.
DECLARE_DISPATCH(void (*)(c10::ScalarType, const DepthwiseShape&, const void* x, const void* w,
                          const void* bias, void* y),
                 depthwise_stub);
// The gradient of another convolution with respect to its input: y[n, g] is the sum of the reversed
// windows w[c] slid over x[n, c], for each c of the group.
DECLARE_DISPATCH(void (*)(c10::ScalarType, const DepthwiseShape&, const void* x, const void* w,
                          void* y),
                 depthwise_input_stub);
// The gradient with respect to w, given that of y.
DECLARE_DISPATCH(void (*)(c10::ScalarType, const DepthwiseShape&, const void* x, const void* dy,
                          void* dw),
                 depthwise_weights_stub);

}  // namespace at::native
