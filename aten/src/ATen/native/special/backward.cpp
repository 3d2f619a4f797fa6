// Derivatives of special functions.

#include <ATen/native/special/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/where.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::Scalar;

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

}  // namespace torch::autograd::generated
