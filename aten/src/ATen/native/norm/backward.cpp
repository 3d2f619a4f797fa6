// Derivatives of norms.

#include <ATen/native/norm/backward.h>

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sgn.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::IntArrayRef;

Tensor linalg_vector_norm_backward(const Tensor& grad, const Tensor& self, const Scalar& ord,
                                   OptionalIntArrayRef dim, bool keepdim, const Tensor& result) {
  double p = ord.toDouble();
  Tensor g = restore_dims(grad, self.dim(), dim, keepdim),
         n = restore_dims(result, self.dim(), dim, keepdim);
  if (p == 0) return at::zeros_like(self);
  if (p == 1) return at::sgn(self) * g;
  // `where` alone hides an infinite value but not its derivative: 0 times infinity is NaN.
  Tensor none = at::eq(n, 0), divisor = at::where(none, Scalar(1), n);
  if (p == 2) return at::where(none, Scalar(0), self / divisor) * g;
  if (std::isinf(p)) {
    Tensor size = at::abs(self), mask = at::eq(size, n);
    mask = at::logical_or(mask, at::logical_and(at::isnan(size), at::isnan(n)));
    IntArrayRef dims = dim ? *dim : IntArrayRef();
    Tensor count = at::clamp_min(at::sum(mask, dims, true), 1);  // 0 in a row without elements
    return at::sgn(self) * (g / count * mask);
  }
  if (p < 1) {
    Tensor zero = at::eq(self, 0), size = at::where(zero, Scalar(1), at::abs(self));
    Tensor scaled = at::where(zero, Scalar(0), at::sgn(self) * at::pow(size, Scalar(p - 1)));
    return scaled * (at::pow(n, Scalar(1 - p)) * g);
  }
  Tensor ratio = p < 2 ? at::sgn(self) * at::pow(at::abs(self), Scalar(p - 1))
                       : self * at::pow(at::abs(self), Scalar(p - 2));
  return ratio * at::where(none, Scalar(0), g / at::pow(divisor, Scalar(p - 1)));
}

}  // namespace torch::autograd::generated
