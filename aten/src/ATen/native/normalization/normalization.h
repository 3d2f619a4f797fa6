#pragma once
// The loops of batch, layer and group normalization. Tensors are dense as the comments say;
// parameters and statistics are of the type that is computed in (float, or double for double), and
// may be null.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Where a channel's elements are. Planes: [batch, channels, plane]; with channels_last: [batch *
// plane, channels].
struct ChannelShape {
  int64_t batch, channels, plane;
  bool channels_last;
  int64_t per_channel() const { return batch * plane; }
};

// Mean and biased variance of every channel.
DECLARE_DISPATCH(void (*)(const ChannelShape&, const Tensor& x, void* mean, void* variance),
                 channel_moments_stub);
// y = x * scale[c] + shift[c]
DECLARE_DISPATCH(void (*)(const ChannelShape&, const Tensor& x, const void* scale,
                          const void* shift, const Tensor& y),
                 channel_affine_stub);
// sum[c] = sum of g, dot[c] = sum of g * (x - mean[c])
DECLARE_DISPATCH(void (*)(const ChannelShape&, const Tensor& g, const Tensor& x, const void* mean,
                          void* sum, void* dot),
                 channel_sums_stub);
// y = g * a[c] + x * b[c] + d[c]
DECLARE_DISPATCH(void (*)(const ChannelShape&, const Tensor& g, const Tensor& x, const void* a,
                          const void* b, const void* d, const Tensor& y),
                 channel_combine_stub);

// Rows of n elements: y = (x - mean) * rstd * weight + bias; mean and rstd are written.
DECLARE_DISPATCH(void (*)(const Tensor& x, int64_t rows, int64_t n, const void* weight,
                          const void* bias, double eps, const Tensor& y, void* mean, void* rstd),
                 layer_norm_stub);
// grad_x may be undefined; grad_weight and grad_bias null.
DECLARE_DISPATCH(void (*)(const Tensor& g, const Tensor& x, int64_t rows, int64_t n,
                          const void* mean, const void* rstd, const void* weight,
                          const Tensor& grad_x, void* grad_weight, void* grad_bias),
                 layer_norm_backward_stub);
// Mean and rstd of rows alone.
DECLARE_DISPATCH(void (*)(const Tensor& x, int64_t rows, int64_t n, double eps, void* mean,
                          void* rstd),
                 row_moments_stub);
// sum[row] = sum of g, dot[row] = sum of g * x
DECLARE_DISPATCH(void (*)(const Tensor& g, const Tensor& x, int64_t rows, int64_t n, void* sum,
                          void* dot),
                 row_sums_stub);

}  // namespace at::native
