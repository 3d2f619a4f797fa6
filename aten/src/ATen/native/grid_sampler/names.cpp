// Grid sampling under other names, and the gradient of grids.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_grid_sampler_2d_cpu_fallback_backward_native.h>
#include <ATen/ops/_grid_sampler_2d_cpu_fallback_native.h>
#include <ATen/ops/affine_grid_generator.h>
#include <ATen/ops/affine_grid_generator_backward_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/grid_sampler_2d_backward.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {

Tensor _grid_sampler_2d_cpu_fallback(const Tensor& input, const Tensor& grid,
                                     int64_t interpolation_mode, int64_t padding_mode,
                                     bool align_corners) {
  return at::grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners);
}

std::tuple<Tensor, Tensor> _grid_sampler_2d_cpu_fallback_backward(
    const Tensor& grad_output, const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
    int64_t padding_mode, bool align_corners) {
  return at::grid_sampler_2d_backward(grad_output, input, grid, interpolation_mode, padding_mode,
                                      align_corners, {{true, true}});
}

// The grid is linear in theta. The identity gives the points that theta is applied to, without
// their constant 1.
Tensor affine_grid_generator_backward(const Tensor& grad, IntArrayRef size, bool align_corners) {
  const auto n = static_cast<int64_t>(size.size()) - 2;
  TORCH_CHECK(n == 2 || n == 3,
              "affine_grid_generator_backward: size must have 4 or 5 numbers, but it is ", size);
  std::vector<int64_t> expected{size[0]};
  for (int64_t s : size.slice(2)) expected.push_back(s);
  expected.push_back(n);
  TORCH_CHECK(grad.sizes() == IntArrayRef(expected),
              "affine_grid_generator_backward: the gradient must have the shape ",
              IntArrayRef(expected), ", but it has ", grad.sizes());
  std::vector<int64_t> one(size.begin(), size.end());
  one[0] = 1;
  const Tensor identity = at::unsqueeze(at::eye(n, n + 1, grad.options()), 0);
  const Tensor points =
      at::reshape(at::affine_grid_generator(identity, one, align_corners), {1, -1, n});
  const Tensor constant = at::slice(at::ones_like(points), 2, 0, 1);
  const Tensor flat = at::reshape(grad, {size[0], points.size(1), n});
  return at::matmul(at::transpose(flat, 1, 2), at::cat({points, constant}, 2));
}

}  // namespace at::native
