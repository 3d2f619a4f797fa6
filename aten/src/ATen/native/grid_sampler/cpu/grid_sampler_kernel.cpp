// grid_sample: samples an image at arbitrary coordinates, and its derivatives.

#include <ATen/Parallel.h>
#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/grid_sampler/cpu/tap_block.h>
#include <ATen/native/grid_sampler/grid_sampler.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/grid_sampler_2d_backward_native.h>
#include <ATen/ops/grid_sampler_2d_native.h>
#include <ATen/ops/grid_sampler_3d_backward_native.h>
#include <ATen/ops/grid_sampler_3d_native.h>
#include <ATen/ops/select.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

// The type in which images are sampled: indices of a plane's elements are as wide as it.
ScalarType sampled_type(const Tensor& t) {
  if (!t.is_floating_point() || isFloat8Type(t.scalar_type())) return t.scalar_type();
  return t.scalar_type() == kDouble || t.numel() > INT32_MAX ? kDouble : kFloat;
}

// Work for one thread: samples of as many channels.
int64_t grain_of(const GridShape& s) {
  return std::max<int64_t>(1, 8192 / std::max<int64_t>(1, s.channels));
}

// f(block, number of its first sample, number of its samples) for blocks of samples of one image. A
// thread takes `grain` samples or more; if that is a whole image, it takes whole images.
template <typename T, typename F>
void each_block(const GridShape& s, int64_t mode, int64_t num_samples, int64_t grain, const F& f) {
  const int64_t length = s.out_numel();
  auto run = [&]<typename Block>(TypeTag<Block>) {
    const bool whole = grain == length;
    parallel_for(0, whole ? s.batch : num_samples, whole ? 1 : grain,
                 [&](int64_t begin, int64_t end) {
      if (whole) begin *= length, end *= length;
      Block block;
      while (begin < end) {
        const int64_t left = std::min(end, (begin / length + 1) * length) - begin;
        const int points = static_cast<int>(std::min<int64_t>(left, Block::kPoints));
        f(block, begin, points);
        begin += points;
      }
    });
  };
  if (s.n == 2) {
    if (mode == kBicubic) return run(TypeTag<TapBlock<T, 2, kBicubic>>());
    if (mode == kNearest) return run(TypeTag<TapBlock<T, 2, kNearest>>());
    return run(TypeTag<TapBlock<T, 2, kBilinear>>());
  }
  if (mode == kNearest) return run(TypeTag<TapBlock<T, 3, kNearest>>());
  run(TypeTag<TapBlock<T, 3, kBilinear>>());
}

// The images of a batch, or its grids: each one is dense, and a batch may be one that is expanded.
template <typename T>
class Dense {
 public:
  explicit Dense(const Tensor& t)
      : tensor_(has_dense_items(t) ? t : at::contiguous(t)),
        data_(static_cast<const T*>(tensor_.data_ptr())),
        step_(tensor_.strides()[0]) {}
  const T* operator[](int64_t item) const { return data_ + item * step_; }

 private:
  static bool has_dense_items(const Tensor& t) {
    return t.numel() > 0 && at::select(t, 0, 0).is_contiguous();
  }
  Tensor tensor_;
  const T* data_;
  int64_t step_;
};

void sample(const Tensor& input, const Tensor& grid, int64_t n, int64_t mode, int64_t padding,
            bool align, const Tensor& result_) {
  const ScalarType type = sampled_type(input);
  if (type != input.scalar_type()) {
    Tensor wide = empty_tensor(result_.sizes(), type), narrow = result_;
    sample(at::_to_copy(input, TensorOptions(type)), at::_to_copy(grid, TensorOptions(type)), n,
           mode, padding, align, wide);
    at::native::copy_(narrow, wide, false);
    return;
  }
  const GridShape s = check_grid(input, grid, n, mode, padding);
  DenseResult dense(result_, result_.scalar_type());
  const Tensor& out = dense.tensor();
  const int64_t plane = s.in_numel(), length = s.out_numel();
  dispatch_types<FloatingTypes>(input.scalar_type(), "grid_sampler", [&]<typename T>(TypeTag<T>) {
    const Dense<T> images(input), grids(grid);
    T* to = static_cast<T*>(out.data_ptr());
    each_block<T>(s, mode, s.batch * length, grain_of(s), [&](auto& block, int64_t k, int points) {
      block.fill(s, grids[k / length] + k % length * n, points, padding, align, false);
      const T* image = images[k / length];
      T* result = to + k / length * s.channels * length + k % length;
      for (int64_t c = 0; c < s.channels; ++c)
        block.sample(image + c * plane, points, result + c * length);
    });
  });
  dense.finish();
}

std::tuple<Tensor, Tensor> sample_backward(const Tensor& grad, const Tensor& input,
                                           const Tensor& grid, int64_t n, int64_t mode,
                                           int64_t padding, bool align, std::array<bool, 2> mask) {
  GridShape s = check_grid(input, grid, n, mode, padding);
  if (sampled_type(input) != input.scalar_type()) {
    TensorOptions wide(sampled_type(input)), narrow(input.scalar_type());
    auto [gi, gg] = sample_backward(at::_to_copy(grad, wide), at::_to_copy(input, wide),
                                    at::_to_copy(grid, wide), n, mode, padding, align, mask);
    return {gi.defined() ? at::_to_copy(gi, narrow) : gi, at::_to_copy(gg, narrow)};
  }
  TORCH_CHECK(grad.numel() == s.batch * s.channels * s.out_numel(),
              "grid_sampler_backward: gradient of sizes ", grad.sizes(), " does not fit");
  Tensor grad_input = mask[0] ? at::zeros(input.sizes(), input.options()) : Tensor();
  Tensor grad_grid = at::zeros(grid.sizes(), grid.options());
  dispatch_types<FloatingTypes>(input.scalar_type(), "grid_sampler_backward",
                                [&]<typename T>(TypeTag<T>) {
    const Dense<T> images(input), grids(grid), gradients(grad);
    T* to = mask[0] ? static_cast<T*>(grad_input.data_ptr()) : nullptr;
    T* to_grid = static_cast<T*>(grad_grid.data_ptr());
    const int64_t plane = s.in_numel(), length = s.out_numel();
    // Samples of one image add to the same elements: one thread takes them all.
    each_block<T>(s, mode, s.batch * length, length, [&](auto& block, int64_t k, int points) {
      block.fill(s, grids[k / length] + k % length * n, points, padding, align, true);
      const int64_t first = k / length * s.channels * plane;
      const T *image = images[k / length], *gr = gradients[k / length] + k % length;
      block.clear_dots();
      for (int64_t c = 0; c < s.channels; ++c) {
        block.add_dots(image + c * plane, gr + c * length, points);
        if (to) block.scatter(gr + c * length, points, to + first + c * plane);
      }
      block.write_slopes(points, to_grid + k * n);
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
