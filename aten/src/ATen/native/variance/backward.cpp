// Derivatives of variances and standard deviations.

#include <ATen/native/variance/backward.h>

#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/native/reduce/backward.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

Tensor var_backward(const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim) {
  const double divisor = static_cast<double>(count_reduced(self.sizes(), dim)) -
                         (correction ? correction->toDouble() : 1);
  const Tensor restored = restore_dims(grad, self.dim(), dim, keepdim);
  const Tensor mean = at::mean(self, dim, true);
  if (divisor > 0) return restored * Scalar(2.0 / divisor) * (self - mean);
  // The forward divided by 0: the slope is infinite, and at the mean 0 divided by 0.
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return restored * at::where(at::eq(self, mean), Scalar(nan), Scalar(inf));
}

Tensor std_backward(const Tensor& result, const Tensor& grad, const Tensor& self,
                    OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
                    bool keepdim) {
  Tensor to_var = at::where(at::eq(result, 0), Scalar(0), grad / (result * Scalar(2)));
  return var_backward(to_var, self, dim, correction, keepdim);
}

static Tensor add_mean(Tensor sum, const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim,
                       bool keepdim) {
  if (!grad.defined()) return sum;
  Tensor part = mean_backward(grad, self.sizes(), dim, keepdim);
  return sum.defined() ? sum + part : part;
}

Tensor var_mean_backward(const variable_list& grads, const Tensor& self, OptionalIntArrayRef dim,
                         const std::optional<Scalar>& correction, bool keepdim) {
  Tensor sum =
      grads[0].defined() ? var_backward(grads[0], self, dim, correction, keepdim) : Tensor();
  return add_mean(sum, grads[1], self, dim, keepdim);
}

Tensor std_mean_backward(const variable_list& grads, const Tensor& std, const Tensor& self,
                         OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
                         bool keepdim) {
  Tensor sum =
      grads[0].defined() ? std_backward(std, grads[0], self, dim, correction, keepdim) : Tensor();
  return add_mean(sum, grads[1], self, dim, keepdim);
}

}  // namespace torch::autograd::generated
