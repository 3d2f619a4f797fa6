// Batch normalization on the CPU: the per-channel numbers computed between two passes over the
// elements.

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/normalization/cpu/Data.h>
#include <ATen/native/normalization/normalization.h>
#include <ATen/native/normalization/parameters.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

// Instance norm has as many channels as planes.
constexpr int64_t kChannelGrain = 4096;

// running = (1 - momentum) * running + momentum * now
void update_running(const Tensor& running, const Tensor& current, double momentum, double factor) {
  if (!running.defined()) return;
  // Written through a pointer, whatever its type and strides: copy_ would bump its version, and
  // backward has saved it.
  const DimVector sizes(running.sizes()), strides(running.strides());
  auto offset_of = [&](int64_t c) {
    int64_t offset = 0;
    for (int64_t d = running.dim() - 1; d >= 0; --d) {
      offset += c % sizes[d] * strides[d];
      c /= sizes[d];
    }
    return offset;
  };
  in_stats_type(current.scalar_type(), [&](auto zero) {
    using V = decltype(zero);
    const V* x = static_cast<const V*>(current.data_ptr());
    V old_weight = static_cast<V>(1 - momentum), new_weight = static_cast<V>(momentum),
      f = static_cast<V>(factor);
    dispatch_types<FloatingAndReduced>(running.scalar_type(), "batch_norm",
                                       [&]<typename T>(TypeTag<T>) {
      T* r = static_cast<T*>(running.data_ptr());
      for (int64_t c = 0; c < current.numel(); ++c) {
        T& value = r[offset_of(c)];
        value = static_cast<T>(old_weight * static_cast<V>(value) + new_weight * x[c] * f);
      }
    });
  });
}

// So many channels that what is read of them for their sums is still in the second-level cache when
// it is read again; all of them where that is none, or where they are not planes of some length.
int64_t channels_in_cache(const ChannelShape& s, int64_t itemsize) {
  constexpr int64_t kBytes = 256 << 10, kShortPlane = 64;
  const int64_t bytes = std::max<int64_t>(1, 2 * s.per_channel() * itemsize);
  const bool is_cut = !s.channels_last && s.plane > kShortPlane && bytes <= kBytes;
  if (!is_cut) return s.channels;
  // As many blocks for each thread.
  const int64_t threads = get_num_threads(), blocks = divup(s.channels, kBytes / bytes);
  return divup(s.channels, divup(blocks, threads) * threads);
}

}  // namespace

static void channel_statistics_cpu(const ChannelShape& s, const Tensor& x, const Tensor& mean,
                                   const Tensor& variance) {
  channel_moments_stub(kCPU, s, x, mean.data_ptr(), variance.data_ptr());
}

static void batch_norm_cpu(const BatchNormArgs& args, const Tensor& bias, double momentum,
                           const Tensor& out, const Tensor& save_mean, const Tensor& save_invstd) {
  const Tensor& x = args.x;
  const ChannelShape& s = args.shape;
  const ScalarType stats = stats_type(x.scalar_type());
  const int64_t channels = s.channels;
  Tensor mean, variance;
  if (args.training) {
    variance = empty_tensor({channels}, stats);
    mean = save_mean;
    if (x.numel() > 0) channel_statistics_cpu(s, x, mean, variance);
    double n = static_cast<double>(s.per_channel());
    if (x.numel() > 0) {
      update_running(args.running_mean, mean, momentum, 1);
      update_running(args.running_var, variance, momentum, n > 1 ? n / (n - 1) : NAN);
    }
  } else {
    mean = as_stats_type(args.running_mean, x.scalar_type());
    variance = as_stats_type(args.running_var, x.scalar_type());
  }
  Tensor w = as_stats_type(args.weight, x.scalar_type()), b = as_stats_type(bias, x.scalar_type());
  Tensor scale = empty_tensor({channels}, stats), shift = empty_tensor({channels}, stats);
  in_stats_type(x.scalar_type(), [&](auto zero) {
    using V = decltype(zero);
    const V *m = static_cast<const V*>(mean.data_ptr()),
            *v = static_cast<const V*>(variance.data_ptr());
    const V *wp = data_or_null<const V>(w), *bp = data_or_null<const V>(b);
    V *a = static_cast<V*>(scale.data_ptr()), *d = static_cast<V*>(shift.data_ptr());
    V* invstd = args.training ? static_cast<V*>(save_invstd.data_ptr()) : nullptr;
    parallel_for(0, channels, kChannelGrain, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        V inverse = V(1) / std::sqrt(v[c] + static_cast<V>(args.eps));
        if (invstd) invstd[c] = inverse;
        a[c] = wp ? inverse * wp[c] : inverse;
        d[c] = (bp ? bp[c] : V(0)) - m[c] * a[c];
      }
    });
  });
  if (x.numel() > 0) channel_affine_stub(kCPU, s, x, scale.data_ptr(), shift.data_ptr(), out);
}

static void batch_norm_backward_cpu(const BatchNormArgs& args, const Tensor& g, const Tensor& mean,
                                    const Tensor& spread, const Tensor& grad_input,
                                    const Tensor& grad_weight, const Tensor& grad_bias) {
  const Tensor& x = args.x;
  const ChannelShape& s = args.shape;
  const int64_t channels = s.channels;
  Tensor w = as_stats_type(args.weight, x.scalar_type());
  const TensorOptions stats(stats_type(x.scalar_type()));
  // All five rows are written in training.
  Tensor work = args.training && x.numel() > 0 ? at::empty({5, channels}, stats)
                                               : at::zeros({5, channels}, stats);
  in_stats_type(x.scalar_type(), [&](auto zero) {
    using V = decltype(zero);
    V* sum = static_cast<V*>(work.data_ptr());
    V *dot = sum + channels, *a = dot + channels, *b = a + channels, *d = b + channels;
    const V *m = static_cast<const V*>(mean.data_ptr()),
            *v = static_cast<const V*>(spread.data_ptr()), *wp = data_or_null<const V>(w);
    const bool sums = args.training || grad_weight.defined() || grad_bias.defined();
    V n = static_cast<V>(s.per_channel());
    V *gw = data_or_null<V>(grad_weight), *gb = data_or_null<V>(grad_bias);
    const auto run = [&](const ChannelShape& part) {
      const int64_t first = part.planes_before;
      if (sums && x.numel() > 0)
        channel_sums_stub(kCPU, part, g, x, m + first, sum + first, dot + first);
      parallel_for(first, first + part.channels, kChannelGrain, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          V invstd = args.training ? v[c] : V(1) / std::sqrt(v[c] + static_cast<V>(args.eps));
          a[c] = wp ? invstd * wp[c] : invstd;
          if (args.training) {
            V by_x = -a[c] * invstd * invstd * dot[c] / n;
            b[c] = by_x;
            d[c] = -a[c] * sum[c] / n - by_x * m[c];
          }
          if (gw) gw[c] = dot[c] * invstd;
          if (gb) gb[c] = sum[c];
        }
      });
      if (grad_input.defined() && x.numel() > 0)
        channel_combine_stub(kCPU, part, g, x, a + first, b + first, d + first, grad_input);
    };
    const int64_t block = channels_in_cache(s, x.itemsize());
    if (block >= channels) return run(s);
    parallel_for(0, divup(channels, block), 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        ChannelShape part = s;
        part.planes_before = k * block;
        part.channels = std::min(block, channels - part.planes_before);
        part.other_planes = channels - part.channels;
        run(part);
      }
    });
  });
}

REGISTER_ALL_CPU_DISPATCH(channel_statistics_stub, &channel_statistics_cpu)
REGISTER_ALL_CPU_DISPATCH(batch_norm_stub, &batch_norm_cpu)
REGISTER_ALL_CPU_DISPATCH(batch_norm_backward_stub, &batch_norm_backward_cpu)

}  // namespace at::native
