#pragma once
// The loops of batch, layer and group normalization. Tensors are dense in the documented
// layout; parameters and statistics have the compute type (float, or double for double), and
// may be null.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// The layout of a channel. Planes: [batch, channels, plane]; with channels_last: [batch * plane,
// channels].
struct ChannelShape {
  int64_t batch, channels, plane;
  bool channels_last;
  // Where the channels are some of those of an image: the number of planes from one image to the
  // next beyond them, and of those before the first one. For sums and combinations of planes.
  int64_t other_planes = 0, planes_before = 0;
  C10_HOST_DEVICE int64_t place(int64_t image, int64_t channel) const {
    return (image * (channels + other_planes) + planes_before + channel) * plane;
  }
  C10_HOST_DEVICE int64_t per_channel() const { return batch * plane; }
};

// Mean and biased variance of every channel.
DECLARE_DISPATCH(void (*)(const ChannelShape&, const Tensor& x, void* mean, void* variance),
                 channel_moments_stub);
// The same for tensors of the compute type.
DECLARE_DISPATCH(void (*)(const ChannelShape&, const Tensor& x, const Tensor& mean,
                          const Tensor& variance),
                 channel_statistics_stub);
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

// Batch normalization of x with its own statistics (training) or the running ones. Every optional
// tensor may be undefined.
struct BatchNormArgs {
  Tensor x;  // dense in the shape's format
  ChannelShape shape;
  Tensor weight, running_mean, running_var;
  bool training;
  double eps;
};
// In training, the running statistics and the saved ones are written too.
DECLARE_DISPATCH(void (*)(const BatchNormArgs&, const Tensor& bias, double momentum,
                          const Tensor& out, const Tensor& save_mean, const Tensor& save_invstd),
                 batch_norm_stub);
// grad has the format and the type of x. `mean` and `spread` (invstd in training, else the
// variance) are the statistics that the forward pass used. Gradients that are not needed are
// undefined.
DECLARE_DISPATCH(void (*)(const BatchNormArgs&, const Tensor& grad, const Tensor& mean,
                          const Tensor& spread, const Tensor& grad_input, const Tensor& grad_weight,
                          const Tensor& grad_bias),
                 batch_norm_backward_stub);
// Group normalization of N samples with C channels of HxW elements.
struct GroupShape {
  int64_t N, C, HxW, group;
};
DECLARE_DISPATCH(void (*)(const GroupShape&, const Tensor& input, const Tensor& weight,
                          const Tensor& bias, double eps, bool channels_last, const Tensor& out,
                          const Tensor& mean, const Tensor& rstd),
                 group_norm_stub);
// grad_weight and grad_bias must be zero initially, and may be undefined, as may grad_input.
DECLARE_DISPATCH(void (*)(const GroupShape&, const Tensor& grad, const Tensor& input,
                          const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                          const Tensor& grad_input, const Tensor& grad_weight,
                          const Tensor& grad_bias),
                 group_norm_backward_stub);

// Group normalization of channels-last images on the CPU. Parameters and statistics have the
// compute type; parameters may be undefined.
DECLARE_DISPATCH(void (*)(const GroupShape&, const Tensor& x, const Tensor& weight,
                          const Tensor& bias, double eps, const Tensor& y, const Tensor& mean,
                          const Tensor& rstd),
                 group_norm_last_stub);

// Rows of n elements: y = (x - mean) * rstd * weight + bias; mean and rstd are written.
DECLARE_DISPATCH(void (*)(const Tensor& x, int64_t rows, int64_t n, const Tensor& weight,
                          const Tensor& bias, double eps, const Tensor& y, const Tensor& mean,
                          const Tensor& rstd),
                 layer_norm_stub);
// The gradients may be undefined.
DECLARE_DISPATCH(void (*)(const Tensor& g, const Tensor& x, int64_t rows, int64_t n,
                          const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                          const Tensor& grad_x, const Tensor& grad_weight, const Tensor& grad_bias),
                 layer_norm_backward_stub);
// Rows of n elements: y = x * rstd * weight, where rstd is 1 / sqrt(mean of x^2 + eps).
DECLARE_DISPATCH(void (*)(const Tensor& x, int64_t rows, int64_t n, const Tensor& weight,
                          double eps, const Tensor& y, const Tensor& rstd),
                 rms_norm_stub);
// Only mean and rstd of rows.
DECLARE_DISPATCH(void (*)(const Tensor& x, int64_t rows, int64_t n, double eps, void* mean,
                          void* rstd),
                 row_moments_stub);
// sum[row] = sum of g, dot[row] = sum of g * x
DECLARE_DISPATCH(void (*)(const Tensor& g, const Tensor& x, int64_t rows, int64_t n, void* sum,
                          void* dot),
                 row_sums_stub);

}  // namespace at::native
