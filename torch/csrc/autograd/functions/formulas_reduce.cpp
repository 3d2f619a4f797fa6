#include <torch/csrc/autograd/functions/formulas_reduce.h>

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/native/Reduce.h>
#include <ATen/ops/_log_softmax_backward_data.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/any.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/cumprod.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/gt.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/item.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logcumsumexp.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/sgn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace torch::autograd::generated {

using at::native::reduce_mask;

static Tensor conj_of(const Tensor& t) { return t.is_complex() ? at::conj(t) : t; }

// Gives a reduced tensor its dimensions back, with size 1.
static Tensor restore(const Tensor& t, int64_t rank, OptionalIntArrayRef dim, bool keepdim) {
  if (keepdim || rank == 0) return t;
  uint64_t mask = reduce_mask(dim, rank, "backward");
  c10::DimVector sizes;
  for (int64_t d = 0, k = 0; d < rank; ++d) sizes.push_back(mask >> d & 1 ? 1 : t.sizes()[k++]);
  return at::reshape(t, sizes);
}

static int64_t count_of(IntArrayRef sizes, OptionalIntArrayRef dim) {
  uint64_t mask = reduce_mask(dim, static_cast<int64_t>(sizes.size()), "backward");
  int64_t n = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (mask >> d & 1) n *= sizes[d];
  }
  return n;
}

// --- sums and products --------------------------------------------------------------------------

Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim) {
  return at::expand(restore(grad, static_cast<int64_t>(sizes.size()), dim, keepdim), sizes);
}

Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim) {
  return sum_backward(grad, sizes, dim, keepdim) / Scalar(count_of(sizes, dim));
}

// The product of all elements along a dimension but the one in place: of those before times those
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

// The numbers that were multiplied: x.prod(dtype=torch.float64) converts them first.
static Tensor factors(const Tensor& self, const Tensor& result) {
  if (self.scalar_type() == result.scalar_type()) return self;
  return at::_to_copy(self, at::TensorOptions(result.scalar_type()));
}

Tensor prod_backward(const Tensor& grad, const Tensor& input, const Tensor& result) {
  Tensor self = factors(input, result);
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return at::zeros_like(self);
  if (!at::item(at::any(at::eq(self, 0))).toBool()) return grad * conj_of(result / self);
  Tensor flat = at::reshape(self, {-1});
  return grad * at::reshape(conj_of(product_of_others(flat, 0)), self.sizes());
}

Tensor prod_dim_backward(const Tensor& grad, const Tensor& input, const Tensor& result, int64_t dim,
                         bool keepdim) {
  Tensor self = factors(input, result);
  if (self.dim() == 0) return grad;
  if (self.numel() == 0) return at::zeros_like(self);
  int64_t d = at::maybe_wrap_dim(dim, self.dim());
  Tensor g = keepdim ? grad : at::unsqueeze(grad, d),
         r = keepdim ? result : at::unsqueeze(result, d);
  if (!at::item(at::any(at::eq(self, 0))).toBool()) return g * conj_of(r / self);
  return g * conj_of(product_of_others(self, d));
}

// --- moments ------------------------------------------------------------------------------------

Tensor var_backward(const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim) {
  double divisor =
      static_cast<double>(count_of(self.sizes(), dim)) - (correction ? correction->toDouble() : 1);
  if (divisor <= 0) {
    // 0/0 where there was one element less than the correction wants, as in the forward.
    return restore(grad, self.dim(), dim, keepdim) *
           at::where(at::eq(self, at::mean(self, dim, true)), Scalar(NAN), Scalar(INFINITY));
  }
  return restore(grad, self.dim(), dim, keepdim) * Scalar(2.0 / divisor) *
         (self - at::mean(self, dim, true));
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

// --- extremes -----------------------------------------------------------------------------------

Tensor extreme_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                        IntArrayRef dim, bool keepdim) {
  Tensor r = restore(result, self.dim(), dim, keepdim), g = restore(grad, self.dim(), dim, keepdim);
  Tensor mask = at::eq(self, r);
  // NaN equals nothing, yet wins.
  mask = at::logical_or(mask, at::logical_and(at::isnan(self), at::isnan(r)));
  Tensor count = at::sum(mask, dim, true);
  // Not times the mask: a gradient may be infinite.
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

Tensor logsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                          IntArrayRef dim, bool keepdim) {
  Tensor r = restore(result, self.dim(), dim, keepdim), g = restore(grad, self.dim(), dim, keepdim);
  // Where all is -inf the difference has no value; nothing flows there.
  if (!self.is_complex()) r = at::where(at::logical_and(at::isinf(r), at::lt(r, 0)), Scalar(0), r);
  return g * conj_of(at::exp(self - r));
}

Tensor linalg_vector_norm_backward(const Tensor& grad, const Tensor& self, const Scalar& ord,
                                   OptionalIntArrayRef dim, bool keepdim, const Tensor& result) {
  double p = ord.toDouble();
  Tensor g = restore(grad, self.dim(), dim, keepdim), n = restore(result, self.dim(), dim, keepdim);
  if (p == 0) return at::zeros_like(self);
  if (p == 1) return at::sgn(self) * g;
  if (p == 2) return at::where(at::eq(n, 0), Scalar(0), self / n) * g;
  if (std::isinf(p)) {
    Tensor size = at::abs(self), mask = at::eq(size, n);
    mask = at::logical_or(mask, at::logical_and(at::isnan(size), at::isnan(n)));
    IntArrayRef dims = dim ? *dim : IntArrayRef();
    return at::sgn(self) * (g / at::sum(mask, dims, true) * mask);
  }
  if (p < 1) {
    Tensor scaled = at::where(at::eq(self, 0), Scalar(0),
                              at::sgn(self) * at::pow(at::abs(self), Scalar(p - 1)));
    return scaled * (at::pow(n, Scalar(1 - p)) * g);
  }
  Tensor ratio = p < 2 ? at::sgn(self) * at::pow(at::abs(self), Scalar(p - 1))
                       : self * at::pow(at::abs(self), Scalar(p - 2));
  return ratio * at::where(at::eq(n, 0), Scalar(0), g / at::pow(n, Scalar(p - 1)));
}

// --- scans --------------------------------------------------------------------------------------

// Sums of what comes at a place and after it.
static Tensor sums_from_the_end(const Tensor& t, int64_t dim) {
  return at::flip(at::cumsum(at::flip(t, dim), dim), dim);
}

Tensor cumsum_backward(const Tensor& grad, int64_t dim) {
  if (grad.dim() == 0 || grad.numel() <= 1) return grad;
  return sums_from_the_end(grad, dim);
}

Tensor cumprod_backward(const Tensor& grad, const Tensor& input, const Tensor& result,
                        int64_t dim) {
  Tensor self = factors(input, result);
  if (self.dim() == 0 || self.numel() <= 1) return grad;
  int64_t d = at::maybe_wrap_dim(dim, self.dim()), n = self.sizes()[d];
  Tensor x = conj_of(self), y = conj_of(result);
  if (!at::item(at::any(at::eq(self, 0))).toBool()) return sums_from_the_end(y * grad, d) / x;
  // With a zero there is nothing to divide by: for each place, the running products without it.
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

Tensor cummaxmin_backward(const Tensor& grad, const Tensor& self, const Tensor& indices,
                          int64_t dim) {
  if (self.numel() == 0 || self.dim() == 0) return grad;
  return at::scatter_add(at::zeros(self.sizes(), grad.options()), dim, indices, grad);
}

Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                             int64_t dim) {
  if (grad.dim() == 0 || grad.numel() == 0) return grad;
  if (grad.is_complex()) {
    Tensor terms = grad * conj_of(at::exp(-result));
    return sums_from_the_end(terms, dim) * conj_of(at::exp(self));
  }
  // Positive and negative gradients apart, each as a logarithm, so that nothing overflows.
  // A logarithm of 0 would have no slope either.
  Tensor size = at::log(at::abs(at::where(at::eq(grad, 0), Scalar(1), grad)));
  // The least number rather than -inf, whose differences have no value.
  double least = grad.scalar_type() == c10::kDouble     ? -1.7e308
                 : grad.scalar_type() == c10::kHalf     ? -6.5e4
                 : grad.scalar_type() == c10::kBFloat16 ? -3.38e38
                                                        : -3.4e38;
  Tensor positive = at::where(at::gt(grad, 0), size, Scalar(least)),
         negative = at::where(at::lt(grad, 0), size, Scalar(least));
  auto share = [&](const Tensor& logs) {
    Tensor parts = logs - result;
    // Sums of nothing but -inf have no slope: what is derived again has none of them.
    if (c10::GradMode::is_enabled()) parts = at::clamp_min(parts, least);
    return at::exp(at::flip(at::logcumsumexp(at::flip(parts, dim), dim), dim) + self);
  };
  return share(positive) - share(negative);
}

// --- softmax ------------------------------------------------------------------------------------

Tensor softmax_gradient(const Tensor& grad, const Tensor& result, int64_t dim,
                        at::ScalarType input_dtype) {
  return at::_softmax_backward_data(grad, result, dim, input_dtype);
}
Tensor log_softmax_gradient(const Tensor& grad, const Tensor& result, int64_t dim,
                            at::ScalarType input_dtype) {
  return at::_log_softmax_backward_data(grad, result, dim, input_dtype);
}

// h(g, y) = y (g - sum(g y)): linear in g with a symmetric matrix, so its derivative by g is h
// itself.
Tensor softmax_second_grad_output(const Tensor& grad, const Tensor&, const Tensor& output,
                                  int64_t dim) {
  return at::_softmax_backward_data(grad, output, dim, grad.scalar_type());
}
Tensor softmax_second_output(const Tensor& grad, const Tensor& grad_output, const Tensor& output,
                             int64_t dim) {
  Tensor inner = at::sum(grad_output * output, IntArrayRef(dim), true),
         outer = at::sum(grad * output, IntArrayRef(dim), true);
  return grad * (grad_output - inner) - grad_output * outer;
}

// k(g, y) = g - exp(y) sum(g).
Tensor log_softmax_second_grad_output(const Tensor& grad, const Tensor&, const Tensor& output,
                                      int64_t dim) {
  return grad - at::sum(grad * at::exp(output), IntArrayRef(dim), true);
}
Tensor log_softmax_second_output(const Tensor& grad, const Tensor& grad_output,
                                 const Tensor& output, int64_t dim) {
  return -(grad * at::exp(output) * at::sum(grad_output, IntArrayRef(dim), true));
}

}  // namespace torch::autograd::generated
