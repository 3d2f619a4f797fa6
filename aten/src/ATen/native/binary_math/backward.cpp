// Derivatives of functions of two tensors that are too long for an entry.

#include <ATen/native/binary_math/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/le.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/real.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/threshold.h>
#include <ATen/ops/where.h>
#include <ATen/ops/xlogy.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

// --- division -----------------------------------------------------------------------------------

// --- powers -------------------------------------------------------------------------------------

Tensor pow_backward(const Tensor& grad, const Tensor& self, const Scalar& exponent) {
  if (exponent.equal(0)) return at::zeros_like(grad);
  if (exponent.equal(1)) return grad;
  const bool is_least = exponent.isIntegral(true) && exponent.toLong() == INT64_MIN;
  Scalar less = exponent.isComplex() ? Scalar(exponent.toComplexDouble() - c10::complex<double>(1))
                : exponent.isFloatingPoint() || is_least ? Scalar(exponent.toDouble() - 1)
                                                         : Scalar(exponent.toLong() - 1);
  Tensor slope = exponent.equal(2) ? self * Scalar(2) : at::pow(self, less) * exponent;
  return times_conj(grad, slope);
}

Tensor pow_backward_self(const Tensor& grad, const Tensor& self, const Tensor& exponent) {
  Tensor slope = exponent * at::pow(self, exponent - Scalar(1));
  return at::where(at::eq(exponent, 0), Scalar(0), times_conj(grad, slope));
}

// d/dy x^y = x^y log x. If x is 0 and the real part of y is not negative, the limit is 0.
Tensor pow_backward_exponent(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result) {
  Tensor at_zero = at::logical_and(
      at::eq(self, 0), exponent.is_complex() ? at::ge(at::real(exponent), 0) : at::ge(exponent, 0));
  // The logarithm of a negative number is complex if the exponent is, and that of an integer has
  // the exponent's precision.
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

// A gradient of 0 stays 0 where the logarithm is infinite or NaN.
Tensor xlogy_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  Tensor flat = at::logical_and(at::eq(self, 0), at::le(other, 0));
  return at::where(flat, Scalar(0.0), at::xlogy(grad, other));
}

// 1 / (self^2 + other^2), and 0 at the origin, where atan2 has no derivative.
Tensor atan2_scale(const Tensor& self, const Tensor& other) {
  // Squares of small integers would overflow.
  auto wide = [](const Tensor& x, const Tensor& beside) {
    return x.is_floating_point() ? x : at::_to_copy(x, at::TensorOptions(beside.scalar_type()));
  };
  const Tensor x = wide(self, other), y = wide(other, self), size = at::addcmul(x * x, y, y);
  // The origin has no direction and so no derivative; the derivative's derivative is 0 there too.
  return at::reciprocal(at::threshold(size, 0, INFINITY));
}

// --- clamp, lerp --------------------------------------------------------------------------------

// --- complex ------------------------------------------------------------------------------------

}  // namespace torch::autograd::generated
