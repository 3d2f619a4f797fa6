// The interpolation operators, one for each mode and number of dimensions.

#include <ATen/native/upsample/resize.h>
#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/_upsample_bicubic2d_aa_backward_native.h>
#include <ATen/ops/_upsample_bicubic2d_aa_native.h>
#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <ATen/ops/_upsample_bilinear2d_aa_backward_native.h>
#include <ATen/ops/_upsample_bilinear2d_aa_native.h>
#include <ATen/ops/_upsample_nearest_exact1d.h>
#include <ATen/ops/_upsample_nearest_exact1d_backward_native.h>
#include <ATen/ops/_upsample_nearest_exact1d_native.h>
#include <ATen/ops/_upsample_nearest_exact2d.h>
#include <ATen/ops/_upsample_nearest_exact2d_backward_native.h>
#include <ATen/ops/_upsample_nearest_exact2d_native.h>
#include <ATen/ops/_upsample_nearest_exact3d.h>
#include <ATen/ops/_upsample_nearest_exact3d_backward_native.h>
#include <ATen/ops/_upsample_nearest_exact3d_native.h>
#include <ATen/ops/upsample_bicubic2d.h>
#include <ATen/ops/upsample_bicubic2d_backward_native.h>
#include <ATen/ops/upsample_bicubic2d_native.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_bilinear2d_backward_native.h>
#include <ATen/ops/upsample_bilinear2d_native.h>
#include <ATen/ops/upsample_linear1d.h>
#include <ATen/ops/upsample_linear1d_backward_native.h>
#include <ATen/ops/upsample_linear1d_native.h>
#include <ATen/ops/upsample_nearest1d.h>
#include <ATen/ops/upsample_nearest1d_backward_native.h>
#include <ATen/ops/upsample_nearest1d_native.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <ATen/ops/upsample_nearest2d_backward_native.h>
#include <ATen/ops/upsample_nearest2d_native.h>
#include <ATen/ops/upsample_nearest3d.h>
#include <ATen/ops/upsample_nearest3d_backward_native.h>
#include <ATen/ops/upsample_nearest3d_native.h>
#include <ATen/ops/upsample_trilinear3d.h>
#include <ATen/ops/upsample_trilinear3d_backward_native.h>
#include <ATen/ops/upsample_trilinear3d_native.h>

namespace at::native {
using upsample::factor;
using upsample::Mode;
using upsample::requested_size;
using upsample::resize;
using upsample::resize_backward;

Tensor upsample_nearest1d(const Tensor& self, IntArrayRef output_size,
                          std::optional<double> scales) {
  return resize(Mode::nearest, "upsample_nearest1d", self, output_size, false, {scales});
}
Tensor upsample_nearest1d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                   IntArrayRef input_size, std::optional<double> scales) {
  return resize_backward(Mode::nearest, "upsample_nearest1d_backward", grad_output, output_size,
                         input_size, false, {scales});
}
Tensor upsample_nearest1d(const Tensor& input, std::optional<IntArrayRef> output_size,
                          std::optional<ArrayRef<double>> scale_factors) {
  DimVector size = requested_size("upsample_nearest1d", input, output_size, scale_factors, 1);
  return at::upsample_nearest1d(input, size, factor(scale_factors, 0));
}

Tensor upsample_nearest2d(const Tensor& self, IntArrayRef output_size,
                          std::optional<double> scales_h, std::optional<double> scales_w) {
  return resize(Mode::nearest, "upsample_nearest2d", self, output_size, false,
                {scales_h, scales_w});
}
Tensor upsample_nearest2d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                   IntArrayRef input_size, std::optional<double> scales_h,
                                   std::optional<double> scales_w) {
  return resize_backward(Mode::nearest, "upsample_nearest2d_backward", grad_output, output_size,
                         input_size, false, {scales_h, scales_w});
}
Tensor upsample_nearest2d(const Tensor& input, std::optional<IntArrayRef> output_size,
                          std::optional<ArrayRef<double>> scale_factors) {
  DimVector size = requested_size("upsample_nearest2d", input, output_size, scale_factors, 2);
  return at::upsample_nearest2d(input, size, factor(scale_factors, 0), factor(scale_factors, 1));
}

Tensor upsample_nearest3d(const Tensor& self, IntArrayRef output_size,
                          std::optional<double> scales_d, std::optional<double> scales_h,
                          std::optional<double> scales_w) {
  return resize(Mode::nearest, "upsample_nearest3d", self, output_size, false,
                {scales_d, scales_h, scales_w});
}
Tensor upsample_nearest3d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                   IntArrayRef input_size, std::optional<double> scales_d,
                                   std::optional<double> scales_h, std::optional<double> scales_w) {
  return resize_backward(Mode::nearest, "upsample_nearest3d_backward", grad_output, output_size,
                         input_size, false, {scales_d, scales_h, scales_w});
}
Tensor upsample_nearest3d(const Tensor& input, std::optional<IntArrayRef> output_size,
                          std::optional<ArrayRef<double>> scale_factors) {
  DimVector size = requested_size("upsample_nearest3d", input, output_size, scale_factors, 3);
  return at::upsample_nearest3d(input, size, factor(scale_factors, 0), factor(scale_factors, 1),
                                factor(scale_factors, 2));
}

Tensor _upsample_nearest_exact1d(const Tensor& self, IntArrayRef output_size,
                                 std::optional<double> scales) {
  return resize(Mode::nearest_exact, "_upsample_nearest_exact1d", self, output_size, false,
                {scales});
}
Tensor _upsample_nearest_exact1d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                          IntArrayRef input_size, std::optional<double> scales) {
  return resize_backward(Mode::nearest_exact, "_upsample_nearest_exact1d_backward", grad_output,
                         output_size, input_size, false, {scales});
}
Tensor _upsample_nearest_exact1d(const Tensor& input, std::optional<IntArrayRef> output_size,
                                 std::optional<ArrayRef<double>> scale_factors) {
  DimVector size =
      requested_size("_upsample_nearest_exact1d", input, output_size, scale_factors, 1);
  return at::_upsample_nearest_exact1d(input, size, factor(scale_factors, 0));
}

Tensor _upsample_nearest_exact2d(const Tensor& self, IntArrayRef output_size,
                                 std::optional<double> scales_h, std::optional<double> scales_w) {
  return resize(Mode::nearest_exact, "_upsample_nearest_exact2d", self, output_size, false,
                {scales_h, scales_w});
}
Tensor _upsample_nearest_exact2d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                          IntArrayRef input_size, std::optional<double> scales_h,
                                          std::optional<double> scales_w) {
  return resize_backward(Mode::nearest_exact, "_upsample_nearest_exact2d_backward", grad_output,
                         output_size, input_size, false, {scales_h, scales_w});
}
Tensor _upsample_nearest_exact2d(const Tensor& input, std::optional<IntArrayRef> output_size,
                                 std::optional<ArrayRef<double>> scale_factors) {
  DimVector size =
      requested_size("_upsample_nearest_exact2d", input, output_size, scale_factors, 2);
  return at::_upsample_nearest_exact2d(input, size, factor(scale_factors, 0),
                                       factor(scale_factors, 1));
}

Tensor _upsample_nearest_exact3d(const Tensor& self, IntArrayRef output_size,
                                 std::optional<double> scales_d, std::optional<double> scales_h,
                                 std::optional<double> scales_w) {
  return resize(Mode::nearest_exact, "_upsample_nearest_exact3d", self, output_size, false,
                {scales_d, scales_h, scales_w});
}
Tensor _upsample_nearest_exact3d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                          IntArrayRef input_size, std::optional<double> scales_d,
                                          std::optional<double> scales_h,
                                          std::optional<double> scales_w) {
  return resize_backward(Mode::nearest_exact, "_upsample_nearest_exact3d_backward", grad_output,
                         output_size, input_size, false, {scales_d, scales_h, scales_w});
}
Tensor _upsample_nearest_exact3d(const Tensor& input, std::optional<IntArrayRef> output_size,
                                 std::optional<ArrayRef<double>> scale_factors) {
  DimVector size =
      requested_size("_upsample_nearest_exact3d", input, output_size, scale_factors, 3);
  return at::_upsample_nearest_exact3d(input, size, factor(scale_factors, 0),
                                       factor(scale_factors, 1), factor(scale_factors, 2));
}

Tensor upsample_linear1d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                         std::optional<double> scales) {
  return resize(Mode::linear, "upsample_linear1d", self, output_size, align_corners, {scales});
}
Tensor upsample_linear1d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                  IntArrayRef input_size, bool align_corners,
                                  std::optional<double> scales) {
  return resize_backward(Mode::linear, "upsample_linear1d_backward", grad_output, output_size,
                         input_size, align_corners, {scales});
}
Tensor upsample_linear1d(const Tensor& input, std::optional<IntArrayRef> output_size,
                         bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
  DimVector size = requested_size("upsample_linear1d", input, output_size, scale_factors, 1);
  return at::upsample_linear1d(input, size, align_corners, factor(scale_factors, 0));
}

Tensor upsample_bilinear2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                           std::optional<double> scales_h, std::optional<double> scales_w) {
  return resize(Mode::linear, "upsample_bilinear2d", self, output_size, align_corners,
                {scales_h, scales_w});
}
Tensor upsample_bilinear2d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                    IntArrayRef input_size, bool align_corners,
                                    std::optional<double> scales_h,
                                    std::optional<double> scales_w) {
  return resize_backward(Mode::linear, "upsample_bilinear2d_backward", grad_output, output_size,
                         input_size, align_corners, {scales_h, scales_w});
}
Tensor upsample_bilinear2d(const Tensor& input, std::optional<IntArrayRef> output_size,
                           bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
  DimVector size = requested_size("upsample_bilinear2d", input, output_size, scale_factors, 2);
  return at::upsample_bilinear2d(input, size, align_corners, factor(scale_factors, 0),
                                 factor(scale_factors, 1));
}

Tensor upsample_trilinear3d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                            std::optional<double> scales_d, std::optional<double> scales_h,
                            std::optional<double> scales_w) {
  return resize(Mode::linear, "upsample_trilinear3d", self, output_size, align_corners,
                {scales_d, scales_h, scales_w});
}
Tensor upsample_trilinear3d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                     IntArrayRef input_size, bool align_corners,
                                     std::optional<double> scales_d, std::optional<double> scales_h,
                                     std::optional<double> scales_w) {
  return resize_backward(Mode::linear, "upsample_trilinear3d_backward", grad_output, output_size,
                         input_size, align_corners, {scales_d, scales_h, scales_w});
}
Tensor upsample_trilinear3d(const Tensor& input, std::optional<IntArrayRef> output_size,
                            bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
  DimVector size = requested_size("upsample_trilinear3d", input, output_size, scale_factors, 3);
  return at::upsample_trilinear3d(input, size, align_corners, factor(scale_factors, 0),
                                  factor(scale_factors, 1), factor(scale_factors, 2));
}

Tensor upsample_bicubic2d(const Tensor& self, IntArrayRef output_size, bool align_corners,
                          std::optional<double> scales_h, std::optional<double> scales_w) {
  return resize(Mode::cubic, "upsample_bicubic2d", self, output_size, align_corners,
                {scales_h, scales_w});
}
Tensor upsample_bicubic2d_backward(const Tensor& grad_output, IntArrayRef output_size,
                                   IntArrayRef input_size, bool align_corners,
                                   std::optional<double> scales_h, std::optional<double> scales_w) {
  return resize_backward(Mode::cubic, "upsample_bicubic2d_backward", grad_output, output_size,
                         input_size, align_corners, {scales_h, scales_w});
}
Tensor upsample_bicubic2d(const Tensor& input, std::optional<IntArrayRef> output_size,
                          bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
  DimVector size = requested_size("upsample_bicubic2d", input, output_size, scale_factors, 2);
  return at::upsample_bicubic2d(input, size, align_corners, factor(scale_factors, 0),
                                factor(scale_factors, 1));
}

Tensor _upsample_bilinear2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                               std::optional<double> scales_h, std::optional<double> scales_w) {
  return resize(Mode::linear_aa, "_upsample_bilinear2d_aa", self, output_size, align_corners,
                {scales_h, scales_w});
}
Tensor _upsample_bilinear2d_aa_backward(const Tensor& grad_output, IntArrayRef output_size,
                                        IntArrayRef input_size, bool align_corners,
                                        std::optional<double> scales_h,
                                        std::optional<double> scales_w) {
  return resize_backward(Mode::linear_aa, "_upsample_bilinear2d_aa_backward", grad_output,
                         output_size, input_size, align_corners, {scales_h, scales_w});
}
Tensor _upsample_bilinear2d_aa(const Tensor& input, std::optional<IntArrayRef> output_size,
                               bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
  DimVector size = requested_size("_upsample_bilinear2d_aa", input, output_size, scale_factors, 2);
  return at::_upsample_bilinear2d_aa(input, size, align_corners, factor(scale_factors, 0),
                                     factor(scale_factors, 1));
}

Tensor _upsample_bicubic2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                              std::optional<double> scales_h, std::optional<double> scales_w) {
  return resize(Mode::cubic_aa, "_upsample_bicubic2d_aa", self, output_size, align_corners,
                {scales_h, scales_w});
}
Tensor _upsample_bicubic2d_aa_backward(const Tensor& grad_output, IntArrayRef output_size,
                                       IntArrayRef input_size, bool align_corners,
                                       std::optional<double> scales_h,
                                       std::optional<double> scales_w) {
  return resize_backward(Mode::cubic_aa, "_upsample_bicubic2d_aa_backward", grad_output,
                         output_size, input_size, align_corners, {scales_h, scales_w});
}
Tensor _upsample_bicubic2d_aa(const Tensor& input, std::optional<IntArrayRef> output_size,
                              bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
  DimVector size = requested_size("_upsample_bicubic2d_aa", input, output_size, scale_factors, 2);
  return at::_upsample_bicubic2d_aa(input, size, align_corners, factor(scale_factors, 0),
                                    factor(scale_factors, 1));
}

}  // namespace at::native
