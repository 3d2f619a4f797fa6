// Group normalization on the CPU: rows are groups, and the channels of each sample have their own
// scale and shift.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/normalization/cpu/Data.h>
#include <ATen/native/normalization/normalization.h>
#include <ATen/native/normalization/parameters.h>
#include <ATen/ops/contiguous.h>

namespace at::native {

static void group_norm_cpu(const GroupShape& shape, const Tensor& input, const Tensor& weight,
                           const Tensor& bias, double eps, bool last, const Tensor& out,
                           const Tensor& mean, const Tensor& rstd) {
  const int64_t N = shape.N, C = shape.C, HxW = shape.HxW, group = shape.group;
  const Tensor w = as_stats_type(weight, input.scalar_type()),
               b = as_stats_type(bias, input.scalar_type());
  if (last) return group_norm_last_stub(kCPU, shape, input, w, b, eps, out, mean, rstd);
  const Tensor x = at::contiguous(input);
  const int64_t D = C / group;
  row_moments_stub(kCPU, x, N * group, D * HxW, eps, mean.data_ptr(), rstd.data_ptr());
  // The channels of each sample have their own scale and shift.
  Tensor map = empty_tensor({2, N * C}, stats_type(input.scalar_type()));
  in_stats_type(input.scalar_type(), [&](auto zero) {
    using V = decltype(zero);
    V *scale = static_cast<V*>(map.data_ptr()), *shift = scale + N * C;
    const V *m = static_cast<const V*>(mean.data_ptr()),
            *s = static_cast<const V*>(rstd.data_ptr());
    const V *wp = data_or_null<const V>(w), *bp = data_or_null<const V>(b);
    parallel_for(0, N * group, std::max<int64_t>(1, 4096 / D), [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g) {
        const int64_t first = g % group * D;
        const V r = s[g], mean_g = m[g];
        for (int64_t i = 0; i < D; ++i) {
          const V by = wp ? r * wp[first + i] : r;
          scale[g * D + i] = by;
          shift[g * D + i] = (bp ? bp[first + i] : V(0)) - mean_g * by;
        }
      }
    });
    channel_affine_stub(kCPU, {1, N * C, HxW, HxW == 1}, x, scale, shift, out);
  });
}

static void group_norm_backward_cpu(const GroupShape& shape, const Tensor& grad,
                                    const Tensor& input, const Tensor& mean, const Tensor& rstd,
                                    const Tensor& weight, const Tensor& grad_input,
                                    const Tensor& grad_weight, const Tensor& grad_bias) {
  const int64_t N = shape.N, C = shape.C, HxW = shape.HxW, group = shape.group;
  Tensor x = at::contiguous(input), g = at::contiguous(grad);
  Tensor w = as_stats_type(weight, input.scalar_type()),
         m = as_stats_type(mean, input.scalar_type()), s = as_stats_type(rstd, input.scalar_type());
  int64_t D = C / group;
  Tensor work = empty_tensor({5, N * C}, stats_type(input.scalar_type()));
  in_stats_type(input.scalar_type(), [&](auto zero) {
    using V = decltype(zero);
    V* sum = static_cast<V*>(work.data_ptr());
    V *dot = sum + N * C, *a = dot + N * C, *b = a + N * C, *d = b + N * C;
    const V *mp = static_cast<const V*>(m.data_ptr()), *sp = static_cast<const V*>(s.data_ptr()),
            *wp = data_or_null<const V>(w);
    row_sums_stub(kCPU, g, x, N * C, HxW, sum, dot);
    V *gw = data_or_null<V>(grad_weight), *gb = data_or_null<V>(grad_bias);
    V n = static_cast<V>(D * HxW);
    parallel_for(0, N * group, std::max<int64_t>(1, 2048 / D), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const V *weights = wp ? wp + k % group * D : nullptr, *sums = sum + k * D,
                *dots = dot + k * D;
        // Sums over the group of h = g * weight and of h * x.
        V h = 0, hx = 0;
        for (int64_t i = 0; i < D; ++i) {
          V wc = weights ? weights[i] : V(1);
          h += sums[i] * wc;
          hx += dots[i] * wc;
        }
        const V r = sp[k], by_x = -r * r * r * (hx - mp[k] * h) / n;
        const V constant = -r * h / n - by_x * mp[k];
        for (int64_t i = 0; i < D; ++i) a[k * D + i] = weights ? r * weights[i] : r;
        std::fill_n(b + k * D, D, by_x);
        std::fill_n(d + k * D, D, constant);
      }
    });
    if (gw || gb) {
      parallel_for(0, group, std::max<int64_t>(1, 2048 / (N * D)), [&](int64_t begin, int64_t end) {
        for (int64_t sample = 0; sample < N; ++sample) {
          for (int64_t k = begin; k < end; ++k) {
            const V mean_k = mp[sample * group + k], rstd_k = sp[sample * group + k];
            const V *sums = sum + sample * C, *dots = dot + sample * C;
            for (int64_t c = k * D; c < (k + 1) * D && gw; ++c)
              gw[c] += (dots[c] - sums[c] * mean_k) * rstd_k;
            for (int64_t c = k * D; c < (k + 1) * D && gb; ++c) gb[c] += sums[c];
          }
        }
      });
    }
    if (grad_input.defined())
      channel_combine_stub(kCPU, {1, N * C, HxW, HxW == 1}, g, x, a, b, d, grad_input);
  });
}

REGISTER_ALL_CPU_DISPATCH(group_norm_stub, &group_norm_cpu)
REGISTER_ALL_CPU_DISPATCH(group_norm_backward_stub, &group_norm_backward_cpu)

}  // namespace at::native
