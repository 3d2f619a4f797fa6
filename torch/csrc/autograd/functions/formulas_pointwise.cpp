#include <torch/csrc/autograd/functions/formulas_pointwise.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/angle.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/le.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/real.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/sgn.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/where.h>
#include <ATen/ops/xlogy.h>
#include <ATen/ops/zeros_like.h>

namespace torch::autograd::generated {

static Tensor conj_of(const Tensor& t) { return t.is_complex() ? at::conj(t) : t; }

Tensor maybe_multiply(const Tensor& grad, const Scalar& scale) {
  return scale.equal(1) ? grad : grad * scale;
}

Tensor times_conj(const Tensor& grad, const Tensor& factor) {
  return at::mul(grad, conj_of(factor));
}

// --- division -----------------------------------------------------------------------------------

Tensor div_self_backward(const Tensor& grad, const Tensor& other) { return grad / conj_of(other); }
Tensor div_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return -grad * conj_of(self / other / other);
}
Tensor div_mode_self_backward(const Tensor& grad, const Tensor& other,
                              std::optional<std::string_view> mode) {
  return mode ? at::zeros_like(grad) : div_self_backward(grad, other);
}
Tensor div_mode_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                               std::optional<std::string_view> mode) {
  return mode ? at::zeros_like(grad) : div_other_backward(grad, self, other);
}

// --- powers -------------------------------------------------------------------------------------

Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent) {
  if (exponent.equal(0)) return at::zeros_like(grad);
  if (exponent.equal(1)) return grad;
  Scalar less = exponent.isIntegral(true) ? Scalar(exponent.toLong() - 1)
                : exponent.isFloatingPoint()
                    ? Scalar(exponent.toDouble() - 1)
                    : Scalar(exponent.toComplexDouble() - c10::complex<double>(1));
  Tensor slope = exponent.equal(2) ? self * Scalar(2) : at::pow(self, less) * exponent;
  return times_conj(grad, slope);
}

Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent) {
  Tensor slope = exponent * at::pow(self, exponent - Scalar(1));
  return at::where(at::eq(exponent, 0), Scalar(0), times_conj(grad, slope));
}

// d/dy x^y = x^y log x. Where x is 0 and y has no negative real part the limit is 0.
Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result) {
  Tensor at_zero = at::logical_and(
      at::eq(self, 0), exponent.is_complex() ? at::ge(at::real(exponent), 0) : at::ge(exponent, 0));
  // The logarithm of a negative number is complex where the exponent is, and that of an integer as
  // precise as the exponent.
  Tensor base = self.scalar_type() == result.scalar_type()
                    ? self
                    : at::_to_copy(self, at::TensorOptions(result.scalar_type()));
  Tensor full = times_conj(grad, result * at::log(base));
  return at::where(at_zero, Scalar(0), full);
}

Tensor pow_backward_exponent(const Tensor& grad, const Scalar& self, const Tensor& exponent,
                             const Tensor& result) {
  if (!self.equal(0)) {
    const Scalar base = result.is_complex() ? Scalar(self.toComplexDouble()) : self;
    return times_conj(grad, result * base.log());
  }
  return pow_backward_exponent(grad, at::wrapped_scalar_tensor(self), exponent, result);
}

// --- extremes -----------------------------------------------------------------------------------

Tensor max_share(const Tensor& grad, const Tensor& mine, const Tensor& other, bool largest) {
  Tensor lost = largest ? at::lt(mine, other) : at::gt(mine, other);
  Tensor shared = at::where(at::eq(mine, other), grad * Scalar(0.5), grad);
  return at::where(lost, Scalar(0), shared);
}

Tensor fmax_share(const Tensor& grad, const Tensor& self, const Tensor& other, bool largest,
                  bool to_self) {
  Tensor chosen =
      at::logical_or(largest ? at::ge(self, other) : at::le(self, other), at::isnan(other));
  return to_self ? at::where(chosen, grad, Scalar(0)) : at::where(chosen, Scalar(0), grad);
}

Tensor copysign_self_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  Tensor ratio = at::where(at::eq(self, 0), Scalar(0.0), result / self);
  return grad * ratio;
}

// A gradient of 0 stays 0 where the logarithm is infinite or has no value.
Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  Tensor flat = at::logical_and(at::eq(self, 0), at::le(other, 0));
  return at::where(flat, Scalar(0.0), at::xlogy(grad, other));
}

// 1 / (self^2 + other^2), and 0 at the origin, where atan2 has no slope.
Tensor atan2_scale(const Tensor& self, const Tensor& other) {
  // Squares of small integers would overflow.
  auto wide = [](const Tensor& x, const Tensor& beside) {
    return x.is_floating_point() ? x : at::_to_copy(x, at::TensorOptions(beside.scalar_type()));
  };
  Tensor x = wide(self, other), y = wide(other, self), size = x * x + y * y;
  return at::where(at::eq(size, 0), Scalar(0.0), at::reciprocal(size));
}

// --- clamp, lerp --------------------------------------------------------------------------------

Tensor clamp_backward(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
                      const std::optional<Scalar>& max) {
  if (min && max)
    return at::where(at::logical_and(at::ge(self, *min), at::le(self, *max)), grad, Scalar(0));
  return at::where(min ? at::ge(self, *min) : at::le(self, *max), grad, Scalar(0));
}

Tensor clamp_tensor_backward(const Tensor& grad, const Tensor& self, const Tensor& min,
                             const Tensor& max) {
  Tensor inside;
  if (min.defined() && max.defined()) {
    inside = at::logical_and(at::ge(self, min), at::le(self, max));
  } else {
    inside = min.defined() ? at::ge(self, min) : at::le(self, max);
  }
  return at::where(inside, grad, Scalar(0));
}

std::tuple<Tensor, Tensor> clamp_bounds_backward(const Tensor& grad, const Tensor& self,
                                                 const Tensor& min, const Tensor& max,
                                                 std::array<bool, 2> mask) {
  Tensor to_min, to_max;
  if (mask[0] && min.defined()) {
    Tensor below = at::lt(self, min);
    if (max.defined()) below = at::logical_and(below, at::lt(min, max));
    to_min = at::where(below, grad, Scalar(0));
  }
  if (mask[1] && max.defined()) {
    Tensor above = at::gt(self, max);
    if (min.defined()) above = at::logical_or(above, at::lt(max, min));
    to_max = at::where(above, grad, Scalar(0));
  }
  return {to_min, to_max};
}

Tensor lerp_scalar_self_backward(const Tensor& grad, const Scalar& weight) {
  if (weight.isComplex())
    return grad * Scalar(c10::complex<double>(1) - weight.conj().toComplexDouble());
  return grad * Scalar(1 - weight.toDouble());
}

// --- complex ------------------------------------------------------------------------------------

Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& sgn) {
  if (!self.is_complex()) return at::zeros_like(grad);
  // sgn z = z / |z|: the part of the gradient along z drops out.
  Tensor size = at::abs(self);
  Tensor full = (grad / size - at::real(grad / sgn) * (sgn / size));
  return at::where(at::eq(size, 0.0), Scalar(0), full);
}

Tensor angle_backward(const Tensor& grad, const Tensor& self) {
  if (!self.is_complex()) return at::zeros_like(grad);
  // d arg(x + iy) = (x dy - y dx) / |z|^2
  Tensor re = at::real(self), im = at::imag(self);
  Tensor scaled = grad / (re * re + im * im);
  Tensor full = (re * Scalar(c10::complex<double>(0, 1)) - im) * scaled;
  return at::where(at::eq(self, 0.0), Scalar(0), full);
}

Tensor sinc_backward(const Tensor& grad, const Tensor& self) {
  Tensor x = self * Scalar(M_PI);
  Tensor squared = x * self;
  Tensor slope = (x * at::cos(x) - at::sin(x)) / squared;
  return times_conj(grad, at::where(at::eq(squared, 0.0), Scalar(0), slope));
}

Tensor logit_second_backward(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                             std::optional<double> eps) {
  Tensor product = self * (Scalar(1) - self);
  Tensor full = grad * grad_output * (Scalar(2) * self - Scalar(1)) / (product * product);
  if (!eps) return full;
  return at::where(at::logical_and(at::ge(self, *eps), at::le(self, 1 - *eps)), full, Scalar(0));
}

std::tuple<Tensor, Tensor> polar_backward(const Tensor& grad, const Tensor& result) {
  Tensor back = conj_of(grad);
  Tensor to_abs = at::real(back * at::sgn(result));
  Tensor to_angle = at::real(back * (result * Scalar(c10::complex<double>(0, 1))));
  return {to_abs, to_angle};
}

}  // namespace torch::autograd::generated
