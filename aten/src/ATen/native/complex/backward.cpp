// Derivatives of functions of complex numbers.

#include <ATen/native/complex/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/RepeatedZero.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/full.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/real.h>
#include <ATen/ops/sgn.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::Scalar;

Tensor sgn_backward(const Tensor& grad, const Tensor& self, const Tensor& sgn) {
  if (!self.is_complex()) return at::native::repeated_zero(grad.sizes(), grad.options());
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

std::tuple<Tensor, Tensor> polar_backward(const Tensor& grad, const Tensor& result) {
  Tensor back = conj_of(grad);
  Tensor to_abs = at::real(back * at::sgn(result));
  Tensor to_angle = at::real(back * (result * Scalar(c10::complex<double>(0, 1))));
  return {to_abs, to_angle};
}

}  // namespace torch::autograd::generated
