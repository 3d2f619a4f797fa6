// Derivatives of reductions.

#include <ATen/native/reduce/backward.h>

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/MayDivideBy.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cumprod.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

using at::native::reduce_mask;

// --- sums and products --------------------------------------------------------------------------

Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim) {
  return at::expand(restore_dims(grad, static_cast<int64_t>(sizes.size()), dim, keepdim), sizes);
}

Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim) {
  return sum_backward(grad, sizes, dim, keepdim) / Scalar(count_reduced(sizes, dim));
}

// For each element, the product of all others along the dimension: of those before times those
// after.
static Tensor product_of_others(const Tensor& x, int64_t dim) {
  c10::DimVector edge(x.sizes());
  edge[dim] = 1;
  Tensor one = at::ones(edge, x.options());
  int64_t n = x.sizes()[dim];
  Tensor head[] = {one, at::narrow(x, dim, 0, n - 1)};
  Tensor tail[] = {one, at::narrow(at::flip(x, dim), dim, 0, n - 1)};
  return at::cumprod(at::cat(head, dim), dim) * at::flip(at::cumprod(at::cat(tail, dim), dim), dim);
}

// The factors: x.prod(dtype=torch.float64) converts x first.
Tensor product_factors(const Tensor& self, const Tensor& result) {
  if (self.scalar_type() == result.scalar_type()) return self;
  return at::_to_copy(self, at::TensorOptions(result.scalar_type()));
}

Tensor prod_backward(const Tensor& grad, const Tensor& input, const Tensor& result) {
  Tensor self = product_factors(input, result);
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return at::zeros_like(self);
  if (at::native::may_divide_by(self)) return grad * conj_of(result / self);
  Tensor flat = at::reshape(self, {-1});
  return grad * at::reshape(conj_of(product_of_others(flat, 0)), self.sizes());
}

Tensor prod_dim_backward(const Tensor& grad, const Tensor& input, const Tensor& result, int64_t dim,
                         bool keepdim) {
  Tensor self = product_factors(input, result);
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return at::zeros_like(self);
  int64_t d = at::maybe_wrap_dim(dim, self.dim());
  Tensor g = keepdim ? grad : at::unsqueeze(grad, d),
         r = keepdim ? result : at::unsqueeze(result, d);
  if (at::native::may_divide_by(self)) return g * conj_of(r / self);
  return g * conj_of(product_of_others(self, d));
}

// --- moments ------------------------------------------------------------------------------------

// --- extremes -----------------------------------------------------------------------------------

Tensor logsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                          IntArrayRef dim, bool keepdim) {
  Tensor r = restore_dims(result, self.dim(), dim, keepdim),
         g = restore_dims(grad, self.dim(), dim, keepdim);
  // Where all elements are -inf the difference is NaN; the gradient there is 0.
  if (!self.is_complex()) r = at::where(at::logical_and(at::isinf(r), at::lt(r, 0)), Scalar(0), r);
  return g * conj_of(at::exp(self - r));
}

// --- scans --------------------------------------------------------------------------------------

// --- softmax ------------------------------------------------------------------------------------

}  // namespace torch::autograd::generated
