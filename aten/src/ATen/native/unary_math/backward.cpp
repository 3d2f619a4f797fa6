// Derivatives of elementary functions that take several operations.

#include <ATen/native/unary_math/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/rsqrt.h>

namespace torch::autograd::generated {

Tensor acosh_slope(const Tensor& x) {
  const Tensor less = x - 1;
  if (x.is_complex()) return at::rsqrt(less) * at::rsqrt(x + 1);
  // x^2 - 1 = (x - 1) + (x - 1) x: near 1 no digits are lost, and at -1 zero is positive.
  return at::rsqrt(at::addcmul(less, less, x));
}

}  // namespace torch::autograd::generated
