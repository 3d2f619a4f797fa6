#include <torch/csrc/autograd/functions/formulas_indexing.h>

#include <ATen/ops/_to_copy.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/div.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/index_put__ops.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/put__ops.h>
#include <ATen/ops/put_ops.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/roll.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/scatter_reduce.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace torch::autograd::generated {

using at::DimVector;

Tensor no_derivative(const char* op) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "the derivative for '", op, "' is not implemented.");
  __builtin_unreachable();
}

static std::vector<std::optional<Tensor>> optional_list(const variable_list& indices) {
  std::vector<std::optional<Tensor>> list;
  for (const Tensor& t : indices)
    list.push_back(t.defined() ? std::make_optional(t) : std::nullopt);
  return list;
}

Tensor index_backward(const Tensor& grad, IntArrayRef self_sizes, const variable_list& indices) {
  Tensor zeros = at::zeros(self_sizes, grad.options());
  auto list = optional_list(indices);
  return at::_ops::index_put_::call(zeros, list, grad, /*accumulate=*/true);
}

Tensor index_put_self_backward(const Tensor& grad, const variable_list& indices) {
  auto list = optional_list(indices);
  return at::index_put(grad, list, at::zeros({}, grad.options()), false);
}

Tensor index_values_backward(const Tensor& grad, const variable_list& indices) {
  auto list = optional_list(indices);
  return at::index(grad, list);
}

Tensor index_add_source_backward(const Tensor& grad, IntArrayRef source_sizes, int64_t dim,
                                 const Tensor& index, const Scalar& alpha) {
  Tensor g = at::index_select(grad, dim, index);
  if (!alpha.equal(1.0)) g = at::mul(g, alpha.conj());
  return at::reshape(g, source_sizes);
}

Tensor take_backward(const Tensor& grad, IntArrayRef self_sizes, const Tensor& index) {
  Tensor zeros = at::zeros(self_sizes, grad.options());
  return at::_ops::put_::call(zeros, index, grad, /*accumulate=*/true);
}

// Only the part of the gradient that index names reaches src.
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
    // What meets in a place is multiplied without its zeros, which are counted. A factor's gradient
    // is the product of the others: of all that are not zero where it is the only zero, 0 beside
    // another.
    Tensor self_zero = at::eq(self, 0), src_zero = at::eq(src, 0);
    Tensor self_factor = at::masked_fill(self, self_zero, 1),
           src_factor = at::masked_fill(src, src_zero, 1);
    Tensor product = at::scatter_reduce(include_self ? self_factor : at::ones_like(self), dim,
                                        index, src_part(src_factor, index), "prod", true);
    Tensor zeros = at::_to_copy(self_zero, at::TensorOptions(at::kLong));
    if (!include_self) zeros = at::zeros_like(zeros);
    zeros = at::scatter_add(zeros, dim, index,
                            at::_to_copy(src_part(src_zero, index), at::TensorOptions(at::kLong)));
    auto share = [](const Tensor& is_zero, const Tensor& count, const Tensor& all,
                    const Tensor& factor) {
      Tensor expected = at::_to_copy(is_zero, at::TensorOptions(at::kLong));
      return at::where(at::eq(count, expected), at::div(all, factor), at::Scalar(0));
    };
    grad_self = include_self ? at::mul(grad, share(self_zero, zeros, product, self_factor)) : grad;
    grad_src = share(src_zero, gathered(zeros, dim, index, src),
                     gathered(at::mul(grad, product), dim, index, src), src_factor);
  } else {
    // Elements that equal the extreme share its gradient evenly.
    Tensor self_is_result = at::_to_copy(at::eq(self, result), self.options());
    Tensor value = at::gather(result, dim, index);
    Tensor src_is_result = at::_to_copy(at::eq(src_part(src, index), value), src.options());
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

std::vector<Tensor> cat_tensors_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                         const std::vector<at::ScalarType>& dtypes, int64_t dim) {
  std::vector<Tensor> grads(sizes.size());
  dim = at::maybe_wrap_dim(dim, grad.dim());
  int64_t at = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    // Empty vectors are skipped whatever the other shapes are.
    if (sizes[k].size() == 1 && sizes[k][0] == 0) {
      grads[k] = at::zeros({0}, grad.options());
      continue;
    }
    int64_t n = sizes[k][dim];
    grads[k] = at::slice(grad, dim, at, at + n);
    if (!at::isComplexType(dtypes[k]) && grads[k].is_complex())
      grads[k] = at::_to_copy(grads[k], at::TensorOptions(dtypes[k]));
    at += n;
  }
  return grads;
}

std::vector<Tensor> block_diag_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                        const std::vector<at::ScalarType>&) {
  std::vector<Tensor> grads;
  int64_t row = 0, column = 0;
  for (const DimVector& s : sizes) {
    int64_t rows = s.size() == 2 ? s[0] : 1, columns = s.size() == 2   ? s[1]
                                                       : s.size() == 1 ? s[0]
                                                                       : 1;
    Tensor g = at::slice(at::slice(grad, 0, row, row + rows), 1, column, column + columns);
    grads.push_back(at::reshape(g, s));
    row += rows;
    column += columns;
  }
  return grads;
}

Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef self_sizes) {
  for (int64_t r : repeats) {
    if (r == 0) return at::zeros(self_sizes, grad.options());
  }
  int64_t missing = static_cast<int64_t>(repeats.size() - self_sizes.size());
  DimVector split, summed;
  for (size_t d = 0; d < repeats.size(); ++d) {
    int64_t k = static_cast<int64_t>(d) - missing;
    if (repeats[d] != 1 || k < 0) {
      summed.push_back(static_cast<int64_t>(split.size()));
      split.push_back(repeats[d]);
    }
    if (k >= 0) split.push_back(self_sizes[k]);
  }
  Tensor g = at::reshape(grad, split);
  return summed.empty() ? g : at::sum(g, IntArrayRef(summed));
}

Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims) {
  DimVector back(shifts);
  for (int64_t& s : back) s = -s;
  return at::roll(grad, back, dims);
}

Tensor trace_grad(const Tensor& grad, IntArrayRef sizes) {
  Tensor zeros = at::zeros(sizes, grad.options());
  Tensor diagonal = at::diagonal(zeros);
  Tensor value = at::expand(grad, diagonal.sizes());
  at::_ops::copy_::call(diagonal, value, false);
  return zeros;
}

Tensor constant_pad_nd_backward(const Tensor& grad, IntArrayRef pad) {
  DimVector back(pad);
  for (int64_t& p : back) p = -p;
  return at::constant_pad_nd(grad, back, 0);
}

}  // namespace torch::autograd::generated
