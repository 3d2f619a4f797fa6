// Layer and root-mean-square normalization on CUDA devices: a column of threads normalizes a row.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/normalization/cuda/Channels.cuh>

namespace at::native {
namespace {

template <typename T, typename M>
__global__ void __launch_bounds__(kRowThreads)
    layer_norm_rows(Dense3 shape, const T* x, const M* weight, const M* bias, M eps, T* y, M* mean,
                    M* rstd) {
  alignas(16) __shared__ char memory[kRowThreads * sizeof(RunningMoments<M>)];
  for_rows(shape, [&](int64_t first, int64_t row) {
    RunningMoments<M> mine{};
    if (row >= 0)
      for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y)
        mine.add(static_cast<M>(x[first + k]));
    const auto whole = reduce_column(mine, reinterpret_cast<RunningMoments<M>*>(memory),
                                     [](auto a, auto b) { return RunningMoments<M>::merge(a, b); });
    if (row < 0) return;
    const M scale = M(1) / std::sqrt(whole.squares / static_cast<M>(shape.n) + eps);
    if (threadIdx.y == 0) {
      mean[row] = whole.mean;
      rstd[row] = scale;
    }
    for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y) {
      const M normalized = (static_cast<M>(x[first + k]) - whole.mean) * scale;
      y[first + k] =
          static_cast<T>((weight ? normalized * weight[k] : normalized) + (bias ? bias[k] : M(0)));
    }
  });
}

template <typename T, typename M>
__global__ void __launch_bounds__(kRowThreads)
    rms_norm_rows(Dense3 shape, const T* x, const M* weight, M eps, T* y, M* rstd) {
  __shared__ M shared[kRowThreads];
  for_rows(shape, [&](int64_t first, int64_t row) {
    M squares = 0;
    if (row >= 0) {
      for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y) {
        const M value = static_cast<M>(x[first + k]);
        squares += value * value;
      }
    }
    const M whole = reduce_column(squares, shared, [](M a, M b) { return a + b; });
    if (row < 0) return;
    const M scale = M(1) / std::sqrt(whole / static_cast<M>(shape.n) + eps);
    if (threadIdx.y == 0) rstd[row] = scale;
    for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y) {
      const M normalized = static_cast<M>(x[first + k]) * scale;
      y[first + k] = static_cast<T>(weight ? normalized * weight[k] : normalized);
    }
  });
}

// With h = g * weight and xhat = (x - mean) * rstd:
//   grad_x = rstd * (h - mean(h) - xhat * mean(h * xhat)).
template <typename T, typename M>
__global__ void __launch_bounds__(kRowThreads)
    layer_norm_backward_rows(Dense3 shape, const T* g, const T* x, const M* mean, const M* rstd,
                             const M* weight, T* grad_x) {
  __shared__ TwoSums<M> shared[kRowThreads];
  for_rows(shape, [&](int64_t first, int64_t row) {
    const M m = row >= 0 ? mean[row] : M(0), s = row >= 0 ? rstd[row] : M(0);
    auto h = [&](int64_t k) {
      const M value = static_cast<M>(g[first + k]);
      return weight ? value * weight[k] : value;
    };
    TwoSums<M> mine{0, 0};
    if (row >= 0) {
      for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y) {
        const M value = h(k);
        mine.first += value;
        mine.second += value * (static_cast<M>(x[first + k]) - m);
      }
    }
    const auto sums =
        reduce_column(mine, shared, [](auto a, auto b) { return TwoSums<M>::merge(a, b); });
    if (row < 0) return;
    const M n = static_cast<M>(shape.n), mean_h = sums.first / n, slope = s * s * sums.second / n;
    for (int64_t k = threadIdx.y; k < shape.n; k += blockDim.y)
      grad_x[first + k] =
          static_cast<T>(((h(k) - mean_h) - (static_cast<M>(x[first + k]) - m) * slope) * s);
  });
}

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
  const RowLayout layout = row_layout(shape);
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "layer_norm", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    c10::cuda::launch(layer_norm_rows<T, M>, {layout.grid, layout.block},
                      c10::cuda::getCurrentCUDAStream(), shape, static_cast<const T*>(x.data_ptr()),
                      data_or_null<const M>(weight), data_or_null<const M>(bias),
                      static_cast<M>(eps), static_cast<T*>(y.data_ptr()),
                      static_cast<M*>(mean.data_ptr()), static_cast<M*>(rstd.data_ptr()));
  });
}

static void rms_norm_cuda(const Tensor& x, int64_t rows, int64_t n, const Tensor& weight,
                          double eps, const Tensor& y, const Tensor& rstd) {
  if (rstd.numel() == 0) return;
  c10::OptionalDeviceGuard guard(x.device());
  const Dense3 shape{rows, n, 1};
  const RowLayout layout = row_layout(shape);
  dispatch_types<FloatingAndReduced>(x.scalar_type(), "rms_norm", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    c10::cuda::launch(rms_norm_rows<T, M>, {layout.grid, layout.block},
                      c10::cuda::getCurrentCUDAStream(), shape, static_cast<const T*>(x.data_ptr()),
                      data_or_null<const M>(weight), static_cast<M>(eps),
                      static_cast<T*>(y.data_ptr()), static_cast<M*>(rstd.data_ptr()));
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
    if (grad_x.defined()) {
      const RowLayout layout = row_layout(shape);
      c10::cuda::launch(layer_norm_backward_rows<T, M>, {layout.grid, layout.block},
                        c10::cuda::getCurrentCUDAStream(), shape, g, data, m, s,
                        data_or_null<const M>(weight), static_cast<T*>(grad_x.data_ptr()));
    }
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
