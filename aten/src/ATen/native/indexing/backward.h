#pragma once
// Derivatives of indexing, joining and padding that are more than one expression.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;
using at::Scalar;

Tensor index_backward(const Tensor& grad, IntArrayRef self_sizes, const variable_list& indices);
Tensor index_put_self_backward(const Tensor& grad, const variable_list& indices);
Tensor index_values_backward(const Tensor& grad, const variable_list& indices);
Tensor index_add_source_backward(const Tensor& grad, IntArrayRef source_sizes, int64_t dim,
                                 const Tensor& index, const Scalar& alpha);
Tensor take_backward(const Tensor& grad, IntArrayRef self_sizes, const Tensor& index);

}  // namespace torch::autograd::generated
