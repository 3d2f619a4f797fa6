// Derivatives of extremes: equal elements share the gradient.

#include <ATen/native/minmax/backward.h>

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::Scalar;

Tensor extreme_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                        IntArrayRef dim, bool keepdim) {
  Tensor r = restore_dims(result, self.dim(), dim, keepdim),
         g = restore_dims(grad, self.dim(), dim, keepdim);
  Tensor mask = at::eq(self, r);
  // NaN equals nothing, but it is the extreme.
  mask = at::logical_or(mask, at::logical_and(at::isnan(self), at::isnan(r)));
  Tensor count = at::sum(mask, dim, true);
  // Not multiplied by the mask: a gradient may be infinite.
  return at::where(mask, g / count, Scalar(0));
}

Tensor aminmax_backward(const variable_list& grads, const Tensor& self, const Tensor& min,
                        const Tensor& max, std::optional<int64_t> dim, bool keepdim) {
  IntArrayRef dims = dim ? IntArrayRef(*dim) : IntArrayRef();
  Tensor sum;
  if (grads[0].defined()) sum = extreme_backward(grads[0], self, min, dims, keepdim);
  if (grads[1].defined()) {
    Tensor part = extreme_backward(grads[1], self, max, dims, keepdim);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

}  // namespace torch::autograd::generated
