// grid_sample and its derivatives on CUDA devices: a thread for each sample. The gradient of the
// image is added up atomically; in deterministic mode, a thread goes through all samples of an
// image's channel instead.

#include <ATen/Context.h>
#include <ATen/OpMathType.h>
#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/grid_sampler/taps.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/grid_sampler_2d_backward_native.h>
#include <ATen/ops/grid_sampler_2d_native.h>
#include <ATen/ops/grid_sampler_3d_backward_native.h>
#include <ATen/ops/grid_sampler_3d_native.h>
#include <ATen/ops/zeros.h>
#include <ATen/native/common/cuda/Atomics.cuh>
#include <ATen/native/common/cuda/ForEach.cuh>

namespace at::native {
namespace {

struct Sampling {
  GridShape s;
  int64_t mode, padding;
  bool align_corners;
  template <typename M, typename T>
  __device__ void taps(const T* grid, int64_t sample, Taps<M> (&t)[3]) const {
    all_taps(s, grid + sample * s.n, mode, padding, align_corners, t);
  }
};

template <typename T>
struct Sample {
  using M = opmath_type<T>;
  Sampling sampling;
  const T *input, *grid;
  T* output;
  __device__ void operator()(int64_t k) const {
    const GridShape& s = sampling.s;
    const int64_t plane = s.in_numel(), length = s.out_numel();
    Taps<M> t[3];
    sampling.taps(grid, k, t);
    const T* image = input + k / length * s.channels * plane;
    T* to = output + k / length * s.channels * length + k % length;
    for (int64_t c = 0; c < s.channels; ++c) {
      M sum = 0;
      each_tap(s, t, [&](int64_t element, M weight, const M*) {
        sum += weight * static_cast<M>(image[c * plane + element]);
      });
      to[c * length] = static_cast<T>(sum);
    }
  }
};

template <typename T>
struct GridGradient {
  using M = opmath_type<T>;
  Sampling sampling;
  const T *grad, *input, *grid;
  T* grad_grid;
  __device__ void operator()(int64_t k) const {
    const GridShape& s = sampling.s;
    const int64_t plane = s.in_numel(), length = s.out_numel();
    Taps<M> t[3];
    sampling.taps(grid, k, t);
    const T* image = input + k / length * s.channels * plane;
    const T* g = grad + k / length * s.channels * length + k % length;
    M sums[3] = {0, 0, 0};
    each_tap(s, t, [&](int64_t element, M, const M* slopes) {
      M dot = 0;
      for (int64_t c = 0; c < s.channels; ++c)
        dot += static_cast<M>(g[c * length]) * static_cast<M>(image[c * plane + element]);
      for (int d = 0; d < 3; ++d) sums[d] += dot * slopes[d];
    });
    for (int64_t d = 3 - s.n; d < 3; ++d) grad_grid[k * s.n + 2 - d] = static_cast<T>(sums[d]);
  }
};

// Sums are of the compute type. `is_ordered`: a thread is a channel of an image, not a sample.
template <typename T>
struct InputGradient {
  using M = opmath_type<T>;
  Sampling sampling;
  bool is_ordered;
  const T *grad, *grid;
  M* sums;
  __device__ void operator()(int64_t i) const {
    const GridShape& s = sampling.s;
    const int64_t plane = s.in_numel(), length = s.out_numel();
    Taps<M> t[3];
    if (is_ordered) {
      const int64_t image = i / s.channels;
      for (int64_t k = 0; k < length; ++k) {
        sampling.taps(grid, image * length + k, t);
        const M gradient = static_cast<M>(grad[i * length + k]);
        each_tap(s, t, [&](int64_t element, M weight, const M*) {
          sums[i * plane + element] += weight * gradient;
        });
      }
      return;
    }
    sampling.taps(grid, i, t);
    const int64_t first = i / length * s.channels;
    each_tap(s, t, [&](int64_t element, M weight, const M*) {
      for (int64_t c = first; c < first + s.channels; ++c)
        atomic_add(sums + c * plane + element,
                   weight * static_cast<M>(grad[c * length + i % length]));
    });
  }
};

template <int64_t n>
void sample(const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding,
            bool align_corners, const Tensor& out) {
  const Sampling sampling{check_grid(input, grid, n, mode, padding), mode, padding, align_corners};
  DenseResult result(out, out.scalar_type());
  const Tensor x = at::contiguous(input), coordinates = at::contiguous(grid);
  dispatch_types<FloatingAndReduced>(input.scalar_type(), "grid_sampler",
                                     [&]<typename T>(TypeTag<T>) {
    gpu_for_each(x, sampling.s.batch * sampling.s.out_numel(),
                 Sample<T>{sampling, static_cast<const T*>(x.data_ptr()),
                           static_cast<const T*>(coordinates.data_ptr()),
                           static_cast<T*>(result.tensor().data_ptr())});
  });
  result.finish();
}

template <int64_t n>
std::tuple<Tensor, Tensor> sample_backward(const Tensor& grad, const Tensor& input,
                                           const Tensor& grid, int64_t mode, int64_t padding,
                                           bool align_corners, std::array<bool, 2> mask) {
  const Sampling sampling{check_grid(input, grid, n, mode, padding), mode, padding, align_corners};
  const GridShape& s = sampling.s;
  TORCH_CHECK(grad.numel() == s.batch * s.channels * s.out_numel(),
              "grid_sampler_backward: gradient of sizes ", grad.sizes(), " does not fit");
  const Tensor x = at::contiguous(input), coordinates = at::contiguous(grid),
               g = at::contiguous(grad);
  Tensor grad_grid = empty_tensor(grid.sizes(), grid.scalar_type(), grid.device()), grad_input;
  dispatch_types<FloatingAndReduced>(input.scalar_type(), "grid_sampler_backward",
                                     [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    const T *gp = static_cast<const T*>(g.data_ptr()),
            *points = static_cast<const T*>(coordinates.data_ptr());
    const int64_t samples = s.batch * s.out_numel();
    gpu_for_each(x, samples,
                 GridGradient<T>{sampling, gp, static_cast<const T*>(x.data_ptr()), points,
                                 static_cast<T*>(grad_grid.data_ptr())});
    if (!mask[0]) return;
    const bool is_ordered = at::globalContext().deterministicAlgorithms();
    const Tensor sums =
        at::zeros(input.sizes(), input.options().dtype(c10::CppTypeToScalarType<M>::value));
    gpu_for_each(
        x, is_ordered ? s.batch * s.channels : samples,
        InputGradient<T>{sampling, is_ordered, gp, points, static_cast<M*>(sums.data_ptr())});
    grad_input =
        std::is_same_v<T, M> ? sums : at::_to_copy(sums, TensorOptions(input.scalar_type()));
  });
  return {grad_input, grad_grid};
}

}  // namespace

REGISTER_CUDA_DISPATCH(grid_sampler_2d_stub, &sample<2>)
REGISTER_CUDA_DISPATCH(grid_sampler_3d_stub, &sample<3>)
REGISTER_CUDA_DISPATCH(grid_sampler_2d_backward_stub, &sample_backward<2>)
REGISTER_CUDA_DISPATCH(grid_sampler_3d_backward_stub, &sample_backward<3>)

}  // namespace at::native
