#pragma once
// The operands of sampling images on a grid.

#include <ATen/core/Tensor.h>

namespace at::native {

enum Interpolation : int64_t { kBilinear, kNearest, kBicubic };
enum Padding : int64_t { kZeros, kBorder, kReflection };

// The last dimensions of an input and of a grid padded to three, n of which are sampled.
struct GridShape {
  int64_t batch = 0, channels = 0, in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, n = 2;
  C10_HOST_DEVICE int64_t in_numel() const { return in[0] * in[1] * in[2]; }
  C10_HOST_DEVICE int64_t out_numel() const { return out[0] * out[1] * out[2]; }
};

// Throws unless input and grid match; n is 2 or 3.
GridShape check_grid(const Tensor& input, const Tensor& grid, int64_t n, int64_t mode,
                     int64_t padding);

}  // namespace at::native
