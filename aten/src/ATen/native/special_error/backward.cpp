// Derivatives of entropies.

#include <ATen/native/special_error/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/special_xlog1py.h>
#include <ATen/ops/where.h>

namespace torch::autograd::generated {

// At x = 0 the function is 0 for all y, also where log1p(y) is infinite or undefined.
Tensor xlog1py_self_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  Tensor flat = at::logical_and(at::eq(self, 0), at::le(other, -1));
  return at::where(flat, at::Scalar(0.0), at::special_xlog1py(grad, other));
}

}  // namespace torch::autograd::generated
