// grid_sample: samples an image at arbitrary coordinates, and its derivatives.

#include <ATen/Parallel.h>
#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/grid_sampler/grid_sampler.h>
#include <ATen/native/grid_sampler/taps.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/grid_sampler_2d_backward_native.h>
#include <ATen/ops/grid_sampler_2d_native.h>
#include <ATen/ops/grid_sampler_3d_backward_native.h>
#include <ATen/ops/grid_sampler_3d_native.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

bool is_reduced(const Tensor& t) {
  return t.scalar_type() == kHalf || t.scalar_type() == kBFloat16;
}

void sample(const Tensor& input, const Tensor& grid, int64_t n, int64_t mode, int64_t padding,
            bool align, const Tensor& result_) {
  if (is_reduced(input)) {
    Tensor wide = empty_tensor(result_.sizes(), kFloat), narrow = result_;
    sample(at::_to_copy(input, TensorOptions(kFloat)), at::_to_copy(grid, TensorOptions(kFloat)), n,
           mode, padding, align, wide);
    at::native::copy_(narrow, wide, false);
    return;
  }
  const GridShape s = check_grid(input, grid, n, mode, padding);
  DenseResult dense(result_, result_.scalar_type());
  const Tensor& out = dense.tensor();
  Tensor x = at::contiguous(input), coordinates = at::contiguous(grid);
  dispatch_types<FloatingTypes>(input.scalar_type(), "grid_sampler", [&]<typename T>(TypeTag<T>) {
    const T *from = static_cast<const T*>(x.data_ptr()),
            *at = static_cast<const T*>(coordinates.data_ptr());
    T* to = static_cast<T*>(out.data_ptr());
    int64_t plane = s.in_numel(), length = s.out_numel();
    parallel_for(0, s.batch * length, std::max<int64_t>(1, 2048 / std::max<int64_t>(1, s.channels)),
                 [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        Taps<T> t[3];
        all_taps(s, at + k * n, mode, padding, align, t);
        const T* image = from + k / length * s.channels * plane;
        T* result = to + k / length * s.channels * length + k % length;
        for (int64_t c = 0; c < s.channels; ++c) result[c * length] = 0;
        each_tap(s, t, [&](int64_t element, T weight, const T*) {
          for (int64_t c = 0; c < s.channels; ++c)
            result[c * length] += weight * image[c * plane + element];
        });
      }
    });
  });
  dense.finish();
}

std::tuple<Tensor, Tensor> sample_backward(const Tensor& grad, const Tensor& input,
                                           const Tensor& grid, int64_t n, int64_t mode,
                                           int64_t padding, bool align, std::array<bool, 2> mask) {
  GridShape s = check_grid(input, grid, n, mode, padding);
  if (is_reduced(input)) {
    TensorOptions wide(kFloat), narrow(input.scalar_type());
    auto [gi, gg] = sample_backward(at::_to_copy(grad, wide), at::_to_copy(input, wide),
                                    at::_to_copy(grid, wide), n, mode, padding, align, mask);
    return {gi.defined() ? at::_to_copy(gi, narrow) : gi, at::_to_copy(gg, narrow)};
  }
  TORCH_CHECK(grad.numel() == s.batch * s.channels * s.out_numel(),
              "grid_sampler_backward: gradient of sizes ", grad.sizes(), " does not fit");
  Tensor grad_input = mask[0] ? at::zeros(input.sizes(), input.options()) : Tensor();
  Tensor grad_grid = at::zeros(grid.sizes(), grid.options());
  Tensor x = at::contiguous(input), coordinates = at::contiguous(grid), g = at::contiguous(grad);
  dispatch_types<FloatingTypes>(input.scalar_type(), "grid_sampler_backward",
                                [&]<typename T>(TypeTag<T>) {
    const T *from = static_cast<const T*>(x.data_ptr()),
            *at = static_cast<const T*>(coordinates.data_ptr()),
            *gp = static_cast<const T*>(g.data_ptr());
    T* to = mask[0] ? static_cast<T*>(grad_input.data_ptr()) : nullptr;
    T* to_grid = static_cast<T*>(grad_grid.data_ptr());
    int64_t plane = s.in_numel(), length = s.out_numel();
    parallel_for(0, s.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin * length; k < end * length; ++k) {
        Taps<T> t[3];
        all_taps(s, at + k * n, mode, padding, align, t);
        int64_t image = k / length * s.channels * plane;
        const T* gr = gp + k / length * s.channels * length + k % length;
        each_tap(s, t, [&](int64_t element, T weight, const T* slopes) {
          T dot = 0;
          for (int64_t c = 0; c < s.channels; ++c) {
            if (to) to[image + c * plane + element] += weight * gr[c * length];
            dot += gr[c * length] * from[image + c * plane + element];
          }
          for (int64_t d = 3 - n; d < 3; ++d) to_grid[k * n + 2 - d] += dot * slopes[d];
        });
      }
    });
  });
  return {grad_input, grad_grid};
}

}  // namespace

template <int64_t n>
static void grid_sampler_forward_kernel(const Tensor& input, const Tensor& grid, int64_t mode,
                                        int64_t padding, bool align_corners, const Tensor& out) {
  sample(input, grid, n, mode, padding, align_corners, out);
}

template <int64_t n>
static std::tuple<Tensor, Tensor> grid_sampler_backward_kernel(const Tensor& grad_output,
                                                               const Tensor& input,
                                                               const Tensor& grid, int64_t mode,
                                                               int64_t padding, bool align_corners,
                                                               std::array<bool, 2> output_mask) {
  return sample_backward(grad_output, input, grid, n, mode, padding, align_corners, output_mask);
}

REGISTER_DISPATCH(grid_sampler_2d_stub, &grid_sampler_forward_kernel<2>)
REGISTER_DISPATCH(grid_sampler_3d_stub, &grid_sampler_forward_kernel<3>)
REGISTER_DISPATCH(grid_sampler_2d_backward_stub, &grid_sampler_backward_kernel<2>)
REGISTER_DISPATCH(grid_sampler_3d_backward_stub, &grid_sampler_backward_kernel<3>)

}  // namespace at::native
