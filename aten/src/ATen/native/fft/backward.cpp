// Derivatives of Fourier transforms of real numbers.
//
// A half spectrum stands for a whole one: all of its values but the first, and the last for an even
// number of points, occur twice there, once conjugated.

#include <ATen/native/fft/backward.h>

#include <ATen/ops/_fft_c2c.h>
#include <ATen/ops/_fft_c2r.h>
#include <ATen/ops/_fft_r2c.h>
#include <ATen/ops/fill_.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/real.h>
#include <ATen/ops/view.h>

namespace torch::autograd::generated {

// Multiplies the values that occur twice by a number. `points` is the length of the whole spectrum.
static Tensor scale_doubled(const Tensor& half, int64_t dim, int64_t points, double factor) {
  const int64_t n = half.size(dim), doubled = points - n;
  if (doubled <= 0) return half;
  Tensor weights = at::ones({n}, c10::toRealValueType(half.scalar_type()), std::nullopt,
                            half.device(), std::nullopt);
  Tensor middle = at::narrow(weights, 0, 1, doubled);
  at::fill_(middle, factor);  // through the dispatcher, which recorders of operators watch
  c10::DimVector shape(half.dim(), 1);
  shape[at::maybe_wrap_dim(dim, half.dim())] = n;
  return at::mul(half, at::view(weights, shape));
}

Tensor fft_r2c_backward(const Tensor& grad, at::IntArrayRef dim, int64_t normalization,
                        bool onesided, at::IntArrayRef sizes) {
  if (!onesided) return at::real(at::_fft_c2c(grad, dim, normalization, /*forward=*/false));
  const int64_t last = at::maybe_wrap_dim(dim.back(), grad.dim()), points = sizes[last];
  return at::_fft_c2r(scale_doubled(grad, last, points, 0.5), dim, normalization, points);
}

Tensor fft_c2r_backward(const Tensor& grad, at::IntArrayRef dim, int64_t normalization) {
  const int64_t last = at::maybe_wrap_dim(dim.back(), grad.dim());
  return scale_doubled(at::_fft_r2c(grad, dim, normalization, /*onesided=*/true), last,
                       grad.size(last), 2);
}

}  // namespace torch::autograd::generated
