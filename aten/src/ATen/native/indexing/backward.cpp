// Derivatives of indexing that are more than one expression.

#include <ATen/native/indexing/backward.h>

#include <ATen/ops/index.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/index_put__ops.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/new_zeros.h>
#include <ATen/ops/put__ops.h>
#include <ATen/ops/put_ops.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/zeros.h>

namespace torch::autograd::generated {

using at::DimVector;

static std::vector<std::optional<Tensor>> optional_list(const variable_list& indices) {
  std::vector<std::optional<Tensor>> list;
  for (const Tensor& t : indices)
    list.push_back(t.defined() ? std::make_optional(t) : std::nullopt);
  return list;
}

Tensor index_backward(const Tensor& grad, IntArrayRef self_sizes, const variable_list& indices) {
  Tensor zeros = at::new_zeros(grad, self_sizes);
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
  Tensor zeros = at::new_zeros(grad, self_sizes);
  return at::_ops::put_::call(zeros, index, grad, /*accumulate=*/true);
}

}  // namespace torch::autograd::generated
