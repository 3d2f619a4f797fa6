// The interpolation operators, one for each mode and number of dimensions.

#include <ATen/native/upsample/resize.h>
#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/_upsample_bicubic2d_aa_backward_native.h>
#include <ATen/ops/_upsample_bicubic2d_aa_native.h>
#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <ATen/ops/_upsample_bilinear2d_aa_backward_native.h>
#include <ATen/ops/_upsample_bilinear2d_aa_native.h>
#include <ATen/ops/_upsample_lanczos2d_aa.h>
#include <ATen/ops/_upsample_lanczos2d_aa_backward_native.h>
#include <ATen/ops/_upsample_lanczos2d_aa_native.h>
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

#include <utility>

namespace at::native {
using upsample::factor;
using upsample::Mode;
using upsample::requested_size;
using upsample::resize;
using upsample::resize_backward;

namespace {

template <typename... Scales, typename... AlignCorners, size_t... dim>
Tensor resize_dims(Tensor (*op)(const Tensor&, IntArrayRef, Scales...), const Tensor& input,
                   IntArrayRef size, std::optional<ArrayRef<double>> scale_factors,
                   std::index_sequence<dim...>, AlignCorners... align_corners) {
  return op(input, size, align_corners..., factor(scale_factors, dim)...);
}

// The forms that take a list of sizes or of scale factors: calls `op` with the output size and one
// scale per dimension.
template <typename... Scales, typename... AlignCorners>
Tensor resize_vec(Tensor (*op)(const Tensor&, IntArrayRef, Scales...), const char* name,
                  const Tensor& input, std::optional<IntArrayRef> output_size,
                  std::optional<ArrayRef<double>> scale_factors, AlignCorners... align_corners) {
  constexpr size_t n = sizeof...(Scales) - sizeof...(AlignCorners);
  DimVector size = requested_size(name, input, output_size, scale_factors, n);
  return resize_dims(op, input, size, scale_factors, std::make_index_sequence<n>(),
                     align_corners...);
}

}  // namespace

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
  return resize_vec(&at::_ops::upsample_nearest1d::call, "upsample_nearest1d", input, output_size,
                    scale_factors);
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
  return resize_vec(&at::_ops::upsample_nearest2d::call, "upsample_nearest2d", input, output_size,
                    scale_factors);
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
  return resize_vec(&at::_ops::upsample_nearest3d::call, "upsample_nearest3d", input, output_size,
                    scale_factors);
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
  return resize_vec(&at::_ops::_upsample_nearest_exact1d::call, "_upsample_nearest_exact1d", input,
                    output_size, scale_factors);
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
  return resize_vec(&at::_ops::_upsample_nearest_exact2d::call, "_upsample_nearest_exact2d", input,
                    output_size, scale_factors);
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
  return resize_vec(&at::_ops::_upsample_nearest_exact3d::call, "_upsample_nearest_exact3d", input,
                    output_size, scale_factors);
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
  return resize_vec(&at::_ops::upsample_linear1d::call, "upsample_linear1d", input, output_size,
                    scale_factors, align_corners);
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
  return resize_vec(&at::_ops::upsample_bilinear2d::call, "upsample_bilinear2d", input, output_size,
                    scale_factors, align_corners);
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
  return resize_vec(&at::_ops::upsample_trilinear3d::call, "upsample_trilinear3d", input,
                    output_size, scale_factors, align_corners);
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
  return resize_vec(&at::_ops::upsample_bicubic2d::call, "upsample_bicubic2d", input, output_size,
                    scale_factors, align_corners);
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
  return resize_vec(&at::_ops::_upsample_bilinear2d_aa::call, "_upsample_bilinear2d_aa", input,
                    output_size, scale_factors, align_corners);
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
  return resize_vec(&at::_ops::_upsample_bicubic2d_aa::call, "_upsample_bicubic2d_aa", input,
                    output_size, scale_factors, align_corners);
}

Tensor _upsample_lanczos2d_aa(const Tensor& self, IntArrayRef output_size, bool align_corners,
                              std::optional<double> scales_h, std::optional<double> scales_w) {
  return resize(Mode::lanczos_aa, "_upsample_lanczos2d_aa", self, output_size, align_corners,
                {scales_h, scales_w});
}
Tensor _upsample_lanczos2d_aa_backward(const Tensor& grad_output, IntArrayRef output_size,
                                       IntArrayRef input_size, bool align_corners,
                                       std::optional<double> scales_h,
                                       std::optional<double> scales_w) {
  return resize_backward(Mode::lanczos_aa, "_upsample_lanczos2d_aa_backward", grad_output,
                         output_size, input_size, align_corners, {scales_h, scales_w});
}
Tensor _upsample_lanczos2d_aa(const Tensor& input, std::optional<IntArrayRef> output_size,
                              bool align_corners, std::optional<ArrayRef<double>> scale_factors) {
  return resize_vec(&at::_ops::_upsample_lanczos2d_aa::call, "_upsample_lanczos2d_aa", input,
                    output_size, scale_factors, align_corners);
}

}  // namespace at::native
