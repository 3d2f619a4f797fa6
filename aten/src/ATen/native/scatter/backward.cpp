// The derivative of scatter_reduce.

#include <ATen/native/scatter/backward.h>

#include <ATen/native/common/Derivatives.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/scatter_reduce.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace torch::autograd::generated {

using at::DimVector;

// Only the part of the gradient selected by index reaches src.
static Tensor gathered(const Tensor& grad, int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor g = at::gather(grad, dim, index);
  if (g.sizes() == src.sizes()) return g;
  DimVector pad;
  for (int64_t d = src.dim(); d-- > 0;) {
    pad.push_back(0);
    pad.push_back(src.sizes()[d] - g.sizes()[d]);
  }
  return at::constant_pad_nd(g, pad, 0);
}

static Tensor src_part(const Tensor& src, const Tensor& index) {
  Tensor part = src;
  for (int64_t d = 0; d < src.dim(); ++d) part = at::slice(part, d, 0, index.sizes()[d]);
  return part;
}

std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& self,
                                                   int64_t dim, const Tensor& index,
                                                   const Tensor& src, std::string_view reduce,
                                                   bool include_self, const Tensor& result) {
  Tensor grad_self, grad_src;
  Tensor ones = at::ones_like(src_part(src, index));
  if (reduce == "sum") {
    grad_self = grad;
    grad_src = gathered(grad, dim, index, src);
  } else if (reduce == "mean") {
    Tensor count = include_self ? at::ones_like(self) : at::zeros_like(self);
    count = at::scatter_add(count, dim, index, ones);
    count = at::masked_fill(count, at::eq(count, 0), 1);
    grad_self = at::div(grad, count);
    grad_src = at::div(gathered(grad, dim, index, src),
                       at::masked_fill(gathered(count, dim, index, src),
                                       at::eq(gathered(count, dim, index, src), 0), 1));
  } else if (reduce == "prod") {
    // The factors of an element are multiplied without zeros, which are counted. A factor's
    // gradient is the product of the others: of all nonzero ones if it is the only zero, 0 if there
    // is another zero.
    Tensor self_zero = at::eq(self, 0), src_zero = at::eq(src, 0);
    Tensor self_factor = at::masked_fill(self, self_zero, 1),
           src_factor = at::masked_fill(src, src_zero, 1);
    Tensor product = at::scatter_reduce(include_self ? self_factor : at::ones_like(self), dim,
                                        index, src_part(src_factor, index), "prod", true);
    Tensor zeros = at::_to_copy(self_zero, at::TensorOptions(at::kLong));
    if (!include_self) zeros = at::zeros_like(zeros);
    zeros = at::scatter_add(zeros, dim, index,
                            at::_to_copy(src_part(src_zero, index), at::TensorOptions(at::kLong)));
    // If exactly one of the others is zero, the product is that zero itself: 0, with a derivative.
    const bool twice = at::native::is_differentiated_again(grad, self, src);
    Tensor self_rest, src_rest;
    if (twice) {
      Tensor self_own = at::where(self_zero, self, at::Scalar(0)),
             src_own = at::where(src_zero, src, at::Scalar(0));
      Tensor sums = at::scatter_add(include_self ? self_own : at::zeros_like(self), dim, index,
                                    src_part(src_own, index));
      self_rest = at::sub(sums, self_own);
      src_rest = at::sub(gathered(sums, dim, index, src), src_own);
    }
    auto share = [&](const Tensor& is_zero, const Tensor& count, const Tensor& all,
                     const Tensor& factor, const Tensor& rest) {
      Tensor expected = at::_to_copy(is_zero, at::TensorOptions(at::kLong));
      Tensor others = at::div(all, factor), none = at::eq(count, expected);
      if (!twice) return at::where(none, others, at::Scalar(0));
      Tensor one = at::eq(at::sub(count, expected), 1);
      return at::where(none, others, at::where(one, at::mul(others, rest), at::Scalar(0)));
    };
    grad_self = include_self
                    ? at::mul(grad, share(self_zero, zeros, product, self_factor, self_rest))
                    : grad;
    grad_src = share(src_zero, gathered(zeros, dim, index, src),
                     gathered(at::mul(grad, product), dim, index, src), src_factor, src_rest);
  } else {
    // Elements that equal the extreme share its gradient evenly. Where the result is NaN, those are
    // the NaN elements.
    auto extreme = [](const Tensor& x, const Tensor& value) {
      return at::_to_copy(at::logical_or(at::eq(x, value), at::ne(x, x)), x.options());
    };
    Tensor self_is_result = extreme(self, result);
    Tensor src_is_result = extreme(src_part(src, index), at::gather(result, dim, index));
    Tensor share = include_self ? self_is_result : at::zeros_like(self_is_result);
    share = at::scatter_add(share, dim, index, src_is_result);
    share = at::masked_fill(share, at::eq(share, 0), 1);
    Tensor each = at::div(grad, share);
    grad_self = at::mul(self_is_result, each);
    Tensor g = at::mul(src_is_result, at::gather(each, dim, index));
    if (g.sizes() != src.sizes()) {
      DimVector pad;
      for (int64_t d = src.dim(); d-- > 0;) {
        pad.push_back(0);
        pad.push_back(src.sizes()[d] - g.sizes()[d]);
      }
      g = at::constant_pad_nd(g, pad, 0);
    }
    grad_src = g;
  }
  if (!include_self) grad_self = at::scatter(grad_self, dim, index, 0);
  return {grad_self, grad_src};
}

}  // namespace torch::autograd::generated
