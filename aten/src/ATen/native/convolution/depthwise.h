#pragma once
// Kernels of convolutions that need no library.

#include <ATen/native/common/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// A convolution of planes with one small window each: output channel c reads input channel c /
// multiplier.
struct DepthwiseShape {
  int64_t batch, channels, multiplier;  // channels: of the output
  int64_t in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
  bool flipped;  // the window is reversed, as in the gradient with respect to the input
};

// y[n, c] = bias[c] + the window w[c] slid over x[n, c / multiplier], of floats or doubles. bias
// may be null.
DECLARE_DISPATCH(void (*)(c10::ScalarType, const DepthwiseShape&, const void* x, const void* w,
                          const void* bias, void* y),
                 depthwise_stub);
// The gradient with respect to w, given that of y.
DECLARE_DISPATCH(void (*)(c10::ScalarType, const DepthwiseShape&, const void* x, const void* dy,
                          void* dw),
                 depthwise_weights_stub);

}  // namespace at::native
