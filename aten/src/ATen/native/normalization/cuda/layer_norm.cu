// Layer and root-mean-square normalization on CUDA devices: a column of threads normalizes a row.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/common/cuda/RowResults.cuh>
#include <ATen/native/normalization/cuda/Channels.cuh>

namespace at::native {
namespace {

template <typename T>
struct LayerNorm {
  using M = opmath_type<T>;
  using Part = RunningMoments<M>;
  struct Finished {
    M mean, scale;
  };
  const T* x;
  const M *weight, *bias;
  M eps, n;
  T* y;
  M *mean, *rstd;

  __device__ static Part start() { return {}; }
  __device__ void add(Part& to, int64_t at, int64_t, int64_t) const {
    to.add(static_cast<M>(x[at]));
  }
  __device__ static Part merge(Part a, Part b) { return Part::merge(a, b); }
  __device__ Finished finish(Part whole, int64_t row, bool is_first) const {
    const M scale = M(1) / std::sqrt(whole.squares / n + eps);
    if (is_first) {
      mean[row] = whole.mean;
      rstd[row] = scale;
    }
    return {whole.mean, scale};
  }
  __device__ void store(Finished f, int64_t at, int64_t k) const {
    const M normalized = (static_cast<M>(x[at]) - f.mean) * f.scale;
    y[at] =
        static_cast<T>((weight ? normalized * weight[k] : normalized) + (bias ? bias[k] : M(0)));
  }
};

template <typename T>
struct RmsNorm {
  using M = opmath_type<T>;
  using Part = M;
  const T* x;
  const M* weight;
  M eps, n;
  T* y;
  M* rstd;

  __device__ static M start() { return 0; }
  __device__ void add(M& squares, int64_t at, int64_t, int64_t) const {
    const M value = static_cast<M>(x[at]);
    squares += value * value;
  }
  __device__ static M merge(M a, M b) { return a + b; }
  __device__ M finish(M squares, int64_t row, bool is_first) const {
    const M scale = M(1) / std::sqrt(squares / n + eps);
    if (is_first) rstd[row] = scale;
    return scale;
  }
  __device__ void store(M scale, int64_t at, int64_t k) const {
    const M normalized = static_cast<M>(x[at]) * scale;
    y[at] = static_cast<T>(weight ? normalized * weight[k] : normalized);
  }
};

// With h = g * weight and xhat = (x - mean) * rstd:
//   grad_x = rstd * (h - mean(h) - xhat * mean(h * xhat)).
template <typename T>
struct LayerNormBackward {
  using M = opmath_type<T>;
  using Part = TwoSums<M>;
  struct Finished {
    M mean, scale, mean_h, slope;
  };
  const T *g, *x;
  const M *mean, *rstd, *weight;
  M n;
  T* grad_x;

  __device__ M h(int64_t at, int64_t k) const {
    const M value = static_cast<M>(g[at]);
    return weight ? value * weight[k] : value;
  }
  __device__ static Part start() { return {0, 0}; }
  __device__ void add(Part& to, int64_t at, int64_t k, int64_t row) const {
    const M value = h(at, k);
    to.first += value;
    to.second += value * (static_cast<M>(x[at]) - mean[row]);
  }
  __device__ static Part merge(Part a, Part b) { return Part::merge(a, b); }
  __device__ Finished finish(Part sums, int64_t row, bool) const {
    const M s = rstd[row];
    return {mean[row], s, sums.first / n, s * s * sums.second / n};
  }
  __device__ void store(Finished f, int64_t at, int64_t k) const {
    grad_x[at] = static_cast<T>(
        ((h(at, k) - f.mean_h) - (static_cast<M>(x[at]) - f.mean) * f.slope) * f.scale);
  }
};

// Columns: the sums of g * (x - mean) * rstd and of g.
template <typename T>
struct AddParameterGradients {
  using M = opmath_type<T>;
  using Accumulator = TwoSums<M>;
  const T *g, *x;
  const M *mean, *rstd;
  __device__ void add(Accumulator& to, int64_t at, int64_t, int64_t row) const {
    const M gradient = static_cast<M>(g[at]);
    to.first += gradient * ((static_cast<M>(x[at]) - mean[row]) * rstd[row]);
    to.second += gradient;
  }
};
template <typename M>
struct StoreSums {
  ChannelParts<TwoSums<M>> parts;
  M *first, *second;  // may be null
  __device__ void operator()(int64_t c) const {
    const TwoSums<M> sums = parts.whole(c);
    if (first) first[c] = sums.first;
    if (second) second[c] = sums.second;
  }
};

}  // namespace

static void layer_norm_cuda(const Tensor& x, int64_t rows, int64_t n, const Tensor& weight,
                            const Tensor& bias, double eps, const Tensor& y, const Tensor& mean,
                            const Tensor& rstd) {
  c10::OptionalDeviceGuard guard(x.device());
  const Dense3 shape{rows, n, 1};
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "layer_norm", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    run_rows(LayerNorm<T>{static_cast<const T*>(x.data_ptr()), data_or_null<const M>(weight),
                          data_or_null<const M>(bias), static_cast<M>(eps), static_cast<M>(n),
                          static_cast<T*>(y.data_ptr()), static_cast<M*>(mean.data_ptr()),
                          static_cast<M*>(rstd.data_ptr())},
             shape, x.device());
  });
}

static void rms_norm_cuda(const Tensor& x, int64_t rows, int64_t n, const Tensor& weight,
                          double eps, const Tensor& y, const Tensor& rstd) {
  if (rstd.numel() == 0) return;
  c10::OptionalDeviceGuard guard(x.device());
  const Dense3 shape{rows, n, 1};
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "rms_norm", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    run_rows(RmsNorm<T>{static_cast<const T*>(x.data_ptr()), data_or_null<const M>(weight),
                        static_cast<M>(eps), static_cast<M>(n), static_cast<T*>(y.data_ptr()),
                        static_cast<M*>(rstd.data_ptr())},
             shape, x.device());
  });
}

static void layer_norm_backward_cuda(const Tensor& grad, const Tensor& x, int64_t rows, int64_t n,
                                     const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                                     const Tensor& grad_x, const Tensor& grad_weight,
                                     const Tensor& grad_bias) {
  c10::OptionalDeviceGuard guard(x.device());
  const Dense3 shape{rows, n, 1};
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "layer_norm_backward",
                                     [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    const T *g = static_cast<const T*>(grad.data_ptr()),
            *data = static_cast<const T*>(x.data_ptr());
    const M *m = data_or_null<const M>(mean), *s = data_or_null<const M>(rstd);
    if (grad_x.defined())
      run_rows(LayerNormBackward<T>{g, data, m, s, data_or_null<const M>(weight), static_cast<M>(n),
                                    static_cast<T*>(grad_x.data_ptr())},
               shape, x.device());
    if (!grad_weight.defined() && !grad_bias.defined()) return;
    Tensor memory;
    const auto parts =
        sum_channels(x, {rows, n, 1, true}, AddParameterGradients<T>{g, data, m, s}, memory);
    gpu_for_each(x, n,
                 StoreSums<M>{parts, data_or_null<M>(grad_weight), data_or_null<M>(grad_bias)});
  });
}

REGISTER_CUDA_DISPATCH(layer_norm_stub, &layer_norm_cuda)
REGISTER_CUDA_DISPATCH(rms_norm_stub, &rms_norm_cuda)
REGISTER_CUDA_DISPATCH(layer_norm_backward_stub, &layer_norm_backward_cuda)

}  // namespace at::native
