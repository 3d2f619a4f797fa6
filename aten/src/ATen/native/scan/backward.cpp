// Derivatives of scans.

#include <ATen/native/scan/backward.h>

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MayDivideBy.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/RepeatedZero.h>
#include <ATen/native/reduce/backward.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/cumprod.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logcumsumexp.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::IntArrayRef;
using at::Scalar;

// Sums of the elements from each position on.
static Tensor sums_from_the_end(const Tensor& t, int64_t dim) {
  return at::flip(at::cumsum(at::flip(t, dim), dim), dim);
}

Tensor cumsum_backward(const Tensor& grad, int64_t dim) {
  if (grad.dim() == 0 || grad.numel() <= 1) return grad;
  return sums_from_the_end(grad, dim);
}

// A product counts for the first zero of a line with that one left out, for elements before it by
// division, and is 0 for those behind. Its values are right, their derivatives are not.
static Tensor cumprod_gradient_with_zeros(const Tensor& grad, const Tensor& x, const Tensor& y,
                                          int64_t dim) {
  const Tensor is_zero = at::eq(x, 0), count = at::cumsum(is_zero, dim);
  const Tensor is_first = at::logical_and(is_zero, at::eq(count, 1));
  const Tensor without = at::cumprod(at::where(is_first, Scalar(1), x), dim);
  const Tensor before = sums_from_the_end(grad * y, dim) / x;
  const Tensor at_first = at::where(is_first, sums_from_the_end(grad * without, dim), Scalar(0));
  return at::where(at::eq(count, 0), before, at_first);
}

Tensor cumprod_gradient(const Tensor& grad, const Tensor& input, const Tensor& result,
                        int64_t dim) {
  Tensor self = product_factors(input, result);
  if (self.dim() == 0 || self.numel() <= 1) return grad;
  int64_t d = at::maybe_wrap_dim(dim, self.dim()), n = self.sizes()[d];
  if (n == 1) return grad;
  Tensor x = conj_of(self), y = conj_of(result);
  if (at::native::may_divide_by(self)) return sums_from_the_end(y * grad, d) / x;
  if (!c10::GradMode::is_enabled()) return cumprod_gradient_with_zeros(grad, x, y, d);
  // Differentiable: computes for each position the running products without it.
  std::vector<Tensor> parts;
  for (int64_t k = 0; k < n; ++k) {
    c10::DimVector edge(self.sizes());
    edge[d] = 1;
    Tensor before = k == 0 ? at::ones(edge, x.options()) : at::narrow(y, d, k - 1, 1);
    Tensor products = before;
    if (k + 1 < n) {
      Tensor both[] = {before, before * at::cumprod(at::narrow(x, d, k + 1, n - k - 1), d)};
      products = at::cat(both, d);
    }
    parts.push_back(at::sum(at::narrow(grad, d, k, n - k) * products, IntArrayRef(d), true));
  }
  return at::cat(parts, d);
}

Tensor cummaxmin_gradient(const Tensor& grad, const Tensor& self, const Tensor& indices,
                          int64_t dim) {
  if (self.numel() == 0 || self.dim() == 0) return grad;
  return at::scatter_add(at::native::repeated_zero(self.sizes(), grad.options()), dim, indices,
                         grad);
}

Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                             int64_t dim) {
  if (grad.dim() == 0 || grad.numel() == 0) return grad;
  if (grad.is_complex()) {
    Tensor terms = grad * conj_of(at::exp(-result));
    return sums_from_the_end(terms, dim) * conj_of(at::exp(self));
  }
  // Positive and negative gradients separately, each as a logarithm, so that nothing overflows. The
  // logarithm of 0 would have no derivative.
  Tensor size = at::log(at::abs(at::where(at::eq(grad, 0), Scalar(1), grad)));
  // The minimum rather than -inf, because differences of infinities are NaN.
  double min = grad.scalar_type() == c10::kDouble     ? -1.7e308
               : grad.scalar_type() == c10::kHalf     ? -6.5e4
               : grad.scalar_type() == c10::kBFloat16 ? -3.38e38
                                                      : -3.4e38;
  Tensor positive = at::where(at::gt(grad, 0), size, Scalar(min)),
         negative = at::where(at::lt(grad, 0), size, Scalar(min));
  auto share = [&](const Tensor& logs) {
    Tensor parts = logs - result;
    // Sums of only -inf have no derivative: clamping keeps second derivatives finite.
    if (at::native::is_differentiated_again(grad, self)) parts = at::clamp_min(parts, min);
    return at::exp(at::flip(at::logcumsumexp(at::flip(parts, dim), dim), dim) + self);
  };
  return share(positive) - share(negative);
}

}  // namespace torch::autograd::generated
