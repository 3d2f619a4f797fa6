// torch.fft.fftn, ifftn, rfftn, irfftn, hfftn, ihfftn, and their forms for two dimensions.

#include <ATen/native/fft/fft.h>
#include <ATen/ops/_fft_c2c.h>
#include <ATen/ops/_fft_c2r.h>
#include <ATen/ops/_fft_r2c.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/fft_fft2_native.h>
#include <ATen/ops/fft_fftn_native.h>
#include <ATen/ops/fft_hfft2_native.h>
#include <ATen/ops/fft_hfftn_native.h>
#include <ATen/ops/fft_ifft2_native.h>
#include <ATen/ops/fft_ifftn_native.h>
#include <ATen/ops/fft_ihfft2_native.h>
#include <ATen/ops/fft_ihfftn_native.h>
#include <ATen/ops/fft_irfft2_native.h>
#include <ATen/ops/fft_irfftn_native.h>
#include <ATen/ops/fft_rfft2_native.h>
#include <ATen/ops/fft_rfftn_native.h>

namespace at::native {
namespace {

using Norm = std::optional<std::string_view>;

IntArrayRef all_but_last(const DimVector& dims) {
  return IntArrayRef(dims).slice(0, dims.size() - 1);
}

Tensor complex_result(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                      const Norm& norm, bool forward) {
  const FFTShape shape = fft_shape(self, s, dim);
  const auto scaling = static_cast<int64_t>(fft_norm(norm, forward));
  const Tensor input = fft_resized(fft_promoted(self, false), shape.dims, shape.sizes);
  if (input.is_complex()) return at::_fft_c2c(input, shape.dims, scaling, forward);
  if (shape.dims.empty()) return at::clone(fft_promoted(self, true));
  Tensor spectrum = at::_fft_r2c(input, shape.dims, scaling, /*onesided=*/false);
  return forward ? spectrum : at::conj_physical(spectrum);
}

// The real input of rfftn and ihfftn.
Tensor real_input(const char* op, const Tensor& self, const FFTShape& shape) {
  TORCH_CHECK(!self.is_complex(), op, " expects a real-valued input tensor, but got ",
              self.scalar_type());
  TORCH_CHECK(!shape.dims.empty(), op, " must transform at least one axis");
  return fft_resized(fft_promoted(self, false), shape.dims, shape.sizes);
}

// The half spectrum that irfftn and hfftn take; sets the last size of the shape to the number of
// points of the result.
Tensor spectrum_input(const char* op, const Tensor& self, OptionalIntArrayRef s, FFTShape& shape) {
  TORCH_CHECK(!shape.dims.empty(), op, " must transform at least one axis");
  int64_t& points = shape.sizes.back();
  if (!s || s->back() == -1) points = 2 * (self.size(shape.dims.back()) - 1);
  check_fft_length(points);
  DimVector sizes = shape.sizes;
  sizes.back() = points / 2 + 1;
  return fft_resized(fft_promoted(self, true), shape.dims, sizes);
}

}  // namespace

Tensor fft_fftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  return complex_result(self, s, dim, norm, true);
}
Tensor fft_ifftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  return complex_result(self, s, dim, norm, false);
}

Tensor fft_rfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  const FFTShape shape = fft_shape(self, s, dim);
  const auto scaling = static_cast<int64_t>(fft_norm(norm, true));
  return at::_fft_r2c(real_input("rfftn", self, shape), shape.dims, scaling, /*onesided=*/true);
}

Tensor fft_irfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  FFTShape shape = fft_shape(self, s, dim);
  const auto scaling = static_cast<int64_t>(fft_norm(norm, false));
  const Tensor input = spectrum_input("irfftn", self, s, shape);
  return at::_fft_c2r(input, shape.dims, scaling, shape.sizes.back());
}

Tensor fft_hfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  FFTShape shape = fft_shape(self, s, dim);
  const auto scaling = static_cast<int64_t>(fft_norm(norm, true));
  Tensor input = spectrum_input("hfftn", self, s, shape);
  if (shape.dims.size() > 1)
    input = at::_fft_c2c(input, all_but_last(shape.dims), scaling, /*forward=*/true);
  return at::_fft_c2r(at::conj_physical(input), shape.dims.back(), scaling, shape.sizes.back());
}

Tensor fft_ihfftn(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim, Norm norm) {
  const FFTShape shape = fft_shape(self, s, dim);
  const auto scaling = static_cast<int64_t>(fft_norm(norm, false));
  const Tensor input = real_input("ihfftn", self, shape);
  Tensor found =
      at::conj_physical(at::_fft_r2c(input, shape.dims.back(), scaling, /*onesided=*/true));
  if (shape.dims.size() == 1) return found;
  return at::_fft_c2c(found, all_but_last(shape.dims), scaling, /*forward=*/false);
}

Tensor fft_fft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, Norm norm) {
  return fft_fftn(self, s, dim, norm);
}
Tensor fft_ifft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, Norm norm) {
  return fft_ifftn(self, s, dim, norm);
}
Tensor fft_rfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, Norm norm) {
  return fft_rfftn(self, s, dim, norm);
}
Tensor fft_irfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, Norm norm) {
  return fft_irfftn(self, s, dim, norm);
}
Tensor fft_hfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, Norm norm) {
  return fft_hfftn(self, s, dim, norm);
}
Tensor fft_ihfft2(const Tensor& self, OptionalIntArrayRef s, IntArrayRef dim, Norm norm) {
  return fft_ihfftn(self, s, dim, norm);
}

}  // namespace at::native
