// Group normalization on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/contiguous.h>
#include <ATen/native/normalization/cuda/Channels.cuh>

namespace at::native {
namespace {

template <typename M>
struct FinishGroups {
  ChannelParts<RunningMoments<M>> parts;
  M n, eps;
  M *mean, *rstd;
  __device__ void operator()(int64_t k) const {
    const RunningMoments<M> whole = parts.whole(k);
    mean[k] = whole.mean;
    rstd[k] = M(1) / std::sqrt(whole.squares / n + eps);
  }
};

// Each channel of an image belongs to one of the image's groups.
struct GroupOf {
  int64_t groups, width;  // channels of a group
  __device__ int64_t operator()(int64_t image, int64_t channel) const {
    return image * groups + channel / width;
  }
};

template <typename T>
struct NormalizeGroups {
  using M = opmath_type<T>;
  ChannelOf channel_of;
  GroupOf group_of;
  const T* x;
  const M *mean, *rstd, *weight, *bias;  // the last two may be null
  T* y;
  __device__ void operator()(int64_t i) const {
    const auto [image, c] = channel_of(i);
    const int64_t k = group_of(image, c);
    const M scale = weight ? rstd[k] * weight[c] : rstd[k];
    y[i] = static_cast<T>((static_cast<M>(x[i]) - mean[k]) * scale + (bias ? bias[c] : M(0)));
  }
};

// For each channel of each image: the sums of g and of g * (x - mean of the group).
template <typename T>
struct AddGradients {
  using M = opmath_type<T>;
  using Accumulator = TwoSums<M>;
  const T *g, *x;
  const M* mean;
  int64_t width;
  __device__ void add(Accumulator& to, int64_t at, int64_t c, int64_t) const {
    const M gradient = static_cast<M>(g[at]);
    to.first += gradient;
    to.second += gradient * (static_cast<M>(x[at]) - mean[c / width]);
  }
};
template <typename M>
struct StoreSums {
  ChannelParts<TwoSums<M>> parts;
  TwoSums<M>* sums;
  __device__ void operator()(int64_t c) const { sums[c] = parts.whole(c); }
};

// grad_input = g * rstd * weight + (x - mean) * b + d for each group. A group has consecutive
// channels, whose sums begin at k * width.
template <typename M>
struct FinishGradients {
  const TwoSums<M>* sums;
  int64_t channels, width;
  M n;
  const M *rstd, *weight;
  M *b, *d;
  __device__ void operator()(int64_t k) const {
    M h = 0, hx = 0;
    for (int64_t i = k * width; i < (k + 1) * width; ++i) {
      const M w = weight ? weight[i % channels] : M(1);
      h += sums[i].first * w;
      hx += sums[i].second * w;
    }
    const M s = rstd[k];
    b[k] = -s * s * s * hx / n;
    d[k] = -s * h / n;
  }
};
template <typename M>
struct ParameterGradients {
  const TwoSums<M>* sums;
  int64_t images, channels, width;
  const M* rstd;
  M *grad_weight, *grad_bias;  // may be null
  __device__ void operator()(int64_t c) const {
    M for_weight = 0, for_bias = 0;
    for (int64_t i = c; i < images * channels; i += channels) {
      for_weight += sums[i].second * rstd[i / width];
      for_bias += sums[i].first;
    }
    if (grad_weight) grad_weight[c] = for_weight;
    if (grad_bias) grad_bias[c] = for_bias;
  }
};
template <typename T>
struct CombineGradients {
  using M = opmath_type<T>;
  ChannelOf channel_of;
  GroupOf group_of;
  const T *g, *x;
  const M *mean, *rstd, *weight, *b, *d;
  T* y;
  __device__ void operator()(int64_t i) const {
    const auto [image, c] = channel_of(i);
    const int64_t k = group_of(image, c);
    const M a = weight ? rstd[k] * weight[c] : rstd[k];
    y[i] =
        static_cast<T>(static_cast<M>(g[i]) * a + (static_cast<M>(x[i]) - mean[k]) * b[k] + d[k]);
  }
};

}  // namespace

static void group_norm_cuda(const GroupShape& shape, const Tensor& input, const Tensor& weight,
                            const Tensor& bias, double eps, bool channels_last, const Tensor& out,
                            const Tensor& mean, const Tensor& rstd) {
  const int64_t N = shape.N, C = shape.C, HxW = shape.HxW, width = C / shape.group;
  const ScalarType type = input.scalar_type();
  const Tensor x = at::contiguous(input), w = as_stats_type(weight, type),
               b = as_stats_type(bias, type);
  dispatch_types<FloatingAndReduced>(type, "group_norm", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    Tensor memory;
    const auto parts = sum_channels(x, {1, N * shape.group, width * HxW, false},
                                    AddMoments<T>{static_cast<const T*>(x.data_ptr())}, memory);
    M *m = static_cast<M*>(mean.data_ptr()), *s = static_cast<M*>(rstd.data_ptr());
    gpu_for_each(x, N * shape.group,
                 FinishGroups<M>{parts, static_cast<M>(width * HxW), static_cast<M>(eps), m, s});
    // The result has the format of the input.
    const Tensor& from = channels_last ? input : x;
    gpu_for_each(x, x.numel(),
                 NormalizeGroups<T>{ChannelOf({N, C, HxW, channels_last}),
                                    {shape.group, width},
                                    static_cast<const T*>(from.data_ptr()),
                                    m,
                                    s,
                                    data_or_null<const M>(w),
                                    data_or_null<const M>(b),
                                    static_cast<T*>(out.data_ptr())});
  });
}

static void group_norm_backward_cuda(const GroupShape& shape, const Tensor& grad,
                                     const Tensor& input, const Tensor& mean, const Tensor& rstd,
                                     const Tensor& weight, const Tensor& grad_input,
                                     const Tensor& grad_weight, const Tensor& grad_bias) {
  const int64_t N = shape.N, C = shape.C, HxW = shape.HxW, width = C / shape.group;
  const ScalarType type = input.scalar_type();
  const Tensor x = at::contiguous(input), g = at::contiguous(grad), w = as_stats_type(weight, type),
               m = as_stats_type(mean, type), s = as_stats_type(rstd, type);
  const Tensor of_channels = empty_tensor({2 * N * C}, stats_type(type), x.device()),
               of_groups = empty_tensor({2 * N * shape.group}, stats_type(type), x.device());
  dispatch_types<FloatingAndReduced>(type, "group_norm_backward", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    const T *gp = static_cast<const T*>(g.data_ptr()), *xp = static_cast<const T*>(x.data_ptr());
    const M *mp = data_or_null<const M>(m), *sp = data_or_null<const M>(s),
            *wp = data_or_null<const M>(w);
    auto* sums = static_cast<TwoSums<M>*>(of_channels.data_ptr());
    M *b = static_cast<M*>(of_groups.data_ptr()), *d = b + N * shape.group;
    Tensor memory;
    const auto parts =
        sum_channels(x, {1, N * C, HxW, HxW == 1}, AddGradients<T>{gp, xp, mp, width}, memory);
    gpu_for_each(x, N * C, StoreSums<M>{parts, sums});
    if (grad_weight.defined() || grad_bias.defined())
      gpu_for_each(x, C,
                   ParameterGradients<M>{sums, N, C, width, sp, data_or_null<M>(grad_weight),
                                         data_or_null<M>(grad_bias)});
    if (!grad_input.defined()) return;
    gpu_for_each(x, N * shape.group,
                 FinishGradients<M>{sums, C, width, static_cast<M>(width * HxW), sp, wp, b, d});
    gpu_for_each(x, x.numel(),
                 CombineGradients<T>{ChannelOf({N, C, HxW, false}),
                                     {shape.group, width},
                                     gp,
                                     xp,
                                     mp,
                                     sp,
                                     wp,
                                     b,
                                     d,
                                     static_cast<T*>(grad_input.data_ptr())});
  });
}

REGISTER_CUDA_DISPATCH(group_norm_stub, &group_norm_cuda)
REGISTER_CUDA_DISPATCH(group_norm_backward_stub, &group_norm_backward_cuda)

}  // namespace at::native
