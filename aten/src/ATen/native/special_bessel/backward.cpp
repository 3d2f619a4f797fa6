// Derivatives of modified Bessel functions of order 1 (DLMF 10.29.4): I1'(x) = I0(x) - I1(x) / x,
// which is 1/2 at 0.

#include <ATen/native/special_bessel/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/i0.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sgn.h>
#include <ATen/ops/special_i0e.h>
#include <ATen/ops/where.h>

namespace torch::autograd::generated {

using at::Scalar;

// At 0, another number is divided by, so that the gradient of what is not selected is finite.
static Tensor without_zeros(const Tensor& x) {
  return at::where(at::eq(x, 0), at::ones_like(x), x);
}

Tensor i1_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  Tensor slope = at::i0(self) - result / without_zeros(self);
  return grad * at::where(at::eq(self, 0), Scalar(0.5), slope);
}

Tensor i1e_backward(const Tensor& grad, const Tensor& self, const Tensor& result) {
  Tensor x = without_zeros(self);
  Tensor slope = at::special_i0e(self) - result * (at::sgn(x) + Scalar(1) / x);
  return grad * at::where(at::eq(self, 0), Scalar(0.5), slope);
}

}  // namespace torch::autograd::generated
