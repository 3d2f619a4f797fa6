// grid_sample: samples an image at arbitrary coordinates; affine_grid: coordinates of an affine
// map.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/grid_sampler/grid_sampler.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/affine_grid_generator_native.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/grid_sampler_2d_native.h>
#include <ATen/ops/grid_sampler_3d.h>
#include <ATen/ops/grid_sampler_3d_native.h>
#include <ATen/ops/grid_sampler_native.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/zeros.h>

namespace at {
namespace native {

GridShape check_grid(const Tensor& input, const Tensor& grid, int64_t n, int64_t mode,
                     int64_t padding) {
  TORCH_CHECK(input.dim() == n + 2 && grid.dim() == n + 2, "grid_sampler(): expected ", n + 2,
              "D input and grid with same number of dimensions, "
              "but got input with sizes ",
              input.sizes(), " and grid with sizes ", grid.sizes());
  TORCH_CHECK(
      input.sizes()[0] == grid.sizes()[0],
      "grid_sampler(): expected grid and input to have same batch size, but got input with sizes ",
      input.sizes(), " and grid with sizes ", grid.sizes());
  TORCH_CHECK(grid.sizes()[n + 1] == n, "grid_sampler(): expected grid to have size ", n,
              " in last dimension, but got grid with sizes ", grid.sizes());
  TORCH_CHECK(input.scalar_type() == grid.scalar_type(),
              "grid_sampler(): expected input and grid to have same dtype, but input has ",
              dtypeName(input.scalar_type()), " and grid has ", dtypeName(grid.scalar_type()));
  TORCH_CHECK(mode >= 0 && mode <= 2 && (n == 2 || mode != kBicubic),
              "grid_sampler(): bicubic interpolation only supports 4D input; mode ", mode);
  TORCH_CHECK(padding >= 0 && padding <= 2, "grid_sampler(): unknown padding mode ", padding);
  GridShape s;
  s.batch = input.sizes()[0];
  s.channels = input.sizes()[1];
  s.n = n;
  for (int64_t d = 0; d < n; ++d) {
    TORCH_CHECK(
        input.sizes()[d + 2] > 0,
        "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes ",
        input.sizes(), " with dimension ", d + 2, " being empty");
    s.in[3 - n + d] = input.sizes()[d + 2];
    s.out[3 - n + d] = grid.sizes()[d + 1];
  }
  return s;
}

}  // namespace native

namespace meta {

static void set_sampled(MetaBase& m, const Tensor& input, const Tensor& grid, int64_t n,
                        int64_t mode, int64_t padding) {
  const native::GridShape s = native::check_grid(input, grid, n, mode, padding);
  TORCH_CHECK_NOT_IMPLEMENTED(input.is_floating_point() && !isFloat8Type(input.scalar_type()), "\"",
                              m.op_name(), "\" not implemented for '",
                              toString(input.scalar_type()), "'");
  DimVector sizes{s.batch, s.channels};
  for (int64_t d = 0; d < n; ++d) sizes.push_back(grid.sizes()[d + 1]);
  m.set_output(0, sizes, input.options());
}

void grid_sampler_2d(MetaBase& m, const Tensor& input, const Tensor& grid, int64_t mode,
                     int64_t padding, bool) {
  set_sampled(m, input, grid, 2, mode, padding);
}
void grid_sampler_3d(MetaBase& m, const Tensor& input, const Tensor& grid, int64_t mode,
                     int64_t padding, bool) {
  set_sampled(m, input, grid, 3, mode, padding);
}

}  // namespace meta

namespace native {

Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                    int64_t padding_mode, bool align_corners) {
  TORCH_CHECK(input.dim() == 4 || input.dim() == 5,
              "grid_sampler(): expected 4D or 5D input, but got input with sizes ", input.sizes());
  return input.dim() == 4
             ? at::grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners)
             : at::grid_sampler_3d(input, grid, interpolation_mode, padding_mode, align_corners);
}

// Centres of elements in [-1, 1]; with align_corners the outermost ones are at the ends.
static Tensor coordinates(int64_t n, bool align_corners, const Tensor& like) {
  if (n <= 1) return at::zeros({n}, like.options());
  Tensor line = at::linspace(-1, 1, n, like.options());
  if (align_corners) return line;
  // Integers are rounded towards zero.
  const Tensor centres = at::mul(line, static_cast<double>(n - 1) / static_cast<double>(n));
  return isIntegralType(like.scalar_type(), false) ? at::_to_copy(centres, like.scalar_type())
                                                   : centres;
}

Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners) {
  TORCH_CHECK(size.size() == 4 || size.size() == 5,
              "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs, got size ", size);
  int64_t n = static_cast<int64_t>(size.size()) - 2;
  TORCH_CHECK(theta.dim() == 3 && theta.sizes()[0] == size[0] && theta.sizes()[1] == n &&
                  theta.sizes()[2] == n + 1,
              "Expected a batch of ", n, "D affine matrices of shape Nx", n, "x", n + 1,
              " for size ", size, ". Got ", theta.sizes(), ".");
  checked_numel(size, "affine_grid_generator");
  DimVector shape(size.slice(2)), grid_shape{size[0]};
  std::vector<Tensor> base;
  // x, y, z, 1: the last spatial dimension is x.
  for (int64_t d = n - 1; d >= 0; --d) {
    DimVector one(n, 1);
    one[d] = shape[d];
    base.push_back(
        at::expand(at::reshape(coordinates(shape[d], align_corners, theta), one), shape));
  }
  base.push_back(at::ones_like(base[0]));
  Tensor points = at::reshape(at::stack(base, -1), {-1, n + 1});
  points = at::expand(points, {size[0], points.sizes()[0], n + 1});
  grid_shape.append(shape.begin(), shape.end());
  grid_shape.push_back(n);
  return at::reshape(at::bmm(points, at::transpose(theta, 1, 2)), grid_shape);
}

}  // namespace native
}  // namespace at
