// Derivatives of clamp and lerp.

#include <ATen/native/ternary/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/where.h>

namespace torch::autograd::generated {

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

}  // namespace torch::autograd::generated
