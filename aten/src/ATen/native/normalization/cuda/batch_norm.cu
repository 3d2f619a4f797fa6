// Batch normalization on CUDA devices.

#include <limits>

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/copy__native.h>
#include <ATen/native/normalization/cuda/Channels.cuh>

namespace at::native {
namespace {

// mean and 1 / standard deviation of each channel, and running statistics that move towards the
// mean and the sample's variance. The latter may be null.
template <typename M>
struct FinishMoments {
  ChannelParts<RunningMoments<M>> parts;
  M n, eps, momentum, old_part;
  M *mean, *invstd, *running_mean, *running_var;
  __device__ void operator()(int64_t c) const {
    const RunningMoments<M> whole = parts.whole(c);
    const M variance = whole.squares / n;
    mean[c] = whole.mean;
    invstd[c] = M(1) / std::sqrt(variance + eps);
    if (running_mean) running_mean[c] = old_part * running_mean[c] + momentum * whole.mean;
    if (running_var) {
      const M unbiased = n > 1 ? whole.squares / (n - 1) : std::numeric_limits<M>::quiet_NaN();
      running_var[c] = old_part * running_var[c] + momentum * unbiased;
    }
  }
};

template <typename M>
struct InverseDeviation {
  const M* variance;
  M eps;
  M* invstd;
  __device__ void operator()(int64_t c) const { invstd[c] = M(1) / std::sqrt(variance[c] + eps); }
};

template <typename T>
struct Normalize {
  using M = opmath_type<T>;
  ChannelOf channel_of;
  const T* x;
  const M *mean, *invstd, *weight, *bias;  // the last two may be null
  T* y;
  __device__ void operator()(int64_t i) const {
    const int64_t c = channel_of(i).channel;
    const M scale = weight ? invstd[c] * weight[c] : invstd[c];
    y[i] = static_cast<T>((static_cast<M>(x[i]) - mean[c]) * scale + (bias ? bias[c] : M(0)));
  }
};

// The sums of g and of g * (x - mean).
template <typename T>
struct AddGradients {
  using M = opmath_type<T>;
  using Accumulator = TwoSums<M>;
  const T *g, *x;
  const M* mean;
  __device__ void add(Accumulator& to, int64_t at, int64_t c, int64_t) const {
    const M gradient = static_cast<M>(g[at]);
    to.first += gradient;
    to.second += gradient * (static_cast<M>(x[at]) - mean[c]);
  }
};

// grad_input = g * a + (x - mean) * b + d for each channel, and the gradients of the parameters,
// which may be null.
template <typename M>
struct FinishGradients {
  ChannelParts<TwoSums<M>> parts;
  bool training;
  M n, eps;
  const M *spread, *weight;
  M *a, *b, *d, *grad_weight, *grad_bias;
  __device__ void operator()(int64_t c) const {
    const TwoSums<M> sums = parts.whole(c);
    const M invstd = training ? spread[c] : M(1) / std::sqrt(spread[c] + eps);
    a[c] = weight ? invstd * weight[c] : invstd;
    b[c] = training ? -a[c] * invstd * invstd * sums.second / n : M(0);
    d[c] = training ? -a[c] * sums.first / n : M(0);
    if (grad_weight) grad_weight[c] = sums.second * invstd;
    if (grad_bias) grad_bias[c] = sums.first;
  }
};
template <typename T>
struct CombineGradients {
  using M = opmath_type<T>;
  ChannelOf channel_of;
  const T *g, *x;
  const M *mean, *a, *b, *d;
  T* y;
  __device__ void operator()(int64_t i) const {
    const int64_t c = channel_of(i).channel;
    y[i] = static_cast<T>(static_cast<M>(g[i]) * a[c] + (static_cast<M>(x[i]) - mean[c]) * b[c] +
                          d[c]);
  }
};

// A running statistic as the kernel updates it: dense, in the compute type.
struct RunningStatistic {
  Tensor target, dense;
  RunningStatistic(const Tensor& t, ScalarType type) : target(t), dense(as_stats_type(t, type)) {}
  // Not by the operator, which would count a new version: backward has saved this tensor.
  void finish() {
    if (target.defined() && !dense.is_same(target)) at::native::copy_(target, dense, false);
  }
};

}  // namespace

static void batch_norm_cuda(const BatchNormArgs& args, const Tensor& bias, double momentum,
                            const Tensor& out, const Tensor& save_mean, const Tensor& save_invstd) {
  const Tensor& x = args.x;
  const ChannelShape& s = args.shape;
  const ScalarType type = x.scalar_type();
  const Tensor w = as_stats_type(args.weight, type), b = as_stats_type(bias, type);
  RunningStatistic running_mean(args.running_mean, type), running_var(args.running_var, type);
  dispatch_types<FloatingAndReduced>(type, "batch_norm", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    const M eps = static_cast<M>(args.eps);
    const T* data = static_cast<const T*>(x.data_ptr());
    Tensor mean = save_mean, invstd = save_invstd;
    if (args.training) {
      Tensor memory;
      const auto parts = sum_channels(x, s, AddMoments<T>{data}, memory);
      gpu_for_each(x, s.channels,
                   FinishMoments<M>{
                       parts, static_cast<M>(s.per_channel()), eps, static_cast<M>(momentum),
                       static_cast<M>(1 - momentum), data_or_null<M>(mean), data_or_null<M>(invstd),
                       data_or_null<M>(running_mean.dense), data_or_null<M>(running_var.dense)});
      running_mean.finish();
      running_var.finish();
    } else {
      mean = running_mean.dense;
      invstd = empty_tensor({s.channels}, stats_type(type), x.device());
      gpu_for_each(x, s.channels,
                   InverseDeviation<M>{data_or_null<const M>(running_var.dense), eps,
                                       data_or_null<M>(invstd)});
    }
    gpu_for_each(x, x.numel(),
                 Normalize<T>{ChannelOf(s), data, data_or_null<const M>(mean),
                              data_or_null<const M>(invstd), data_or_null<const M>(w),
                              data_or_null<const M>(b), static_cast<T*>(out.data_ptr())});
  });
}

static void batch_norm_backward_cuda(const BatchNormArgs& args, const Tensor& grad,
                                     const Tensor& mean, const Tensor& spread,
                                     const Tensor& grad_input, const Tensor& grad_weight,
                                     const Tensor& grad_bias) {
  const Tensor& x = args.x;
  const ChannelShape& s = args.shape;
  const ScalarType type = x.scalar_type();
  const Tensor w = as_stats_type(args.weight, type);
  const Tensor factors = empty_tensor({3 * s.channels}, stats_type(type), x.device());
  dispatch_types<FloatingAndReduced>(type, "batch_norm_backward", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    const T *g = static_cast<const T*>(grad.data_ptr()),
            *data = static_cast<const T*>(x.data_ptr());
    const M* m = data_or_null<const M>(mean);
    M *a = static_cast<M*>(factors.data_ptr()), *b = a + s.channels, *d = b + s.channels;
    Tensor memory;
    ChannelParts<TwoSums<M>> parts{nullptr, 0, s.channels};
    if (args.training || grad_weight.defined() || grad_bias.defined())
      parts = sum_channels(x, s, AddGradients<T>{g, data, m}, memory);
    gpu_for_each(x, s.channels,
                 FinishGradients<M>{parts, args.training, static_cast<M>(s.per_channel()),
                                    static_cast<M>(args.eps), data_or_null<const M>(spread),
                                    data_or_null<const M>(w), a, b, d, data_or_null<M>(grad_weight),
                                    data_or_null<M>(grad_bias)});
    if (grad_input.defined())
      gpu_for_each(x, x.numel(),
                   CombineGradients<T>{ChannelOf(s), g, data, m, a, b, d,
                                       static_cast<T*>(grad_input.data_ptr())});
  });
}

REGISTER_CUDA_DISPATCH(batch_norm_stub, &batch_norm_cuda)
REGISTER_CUDA_DISPATCH(batch_norm_backward_stub, &batch_norm_backward_cuda)

}  // namespace at::native
