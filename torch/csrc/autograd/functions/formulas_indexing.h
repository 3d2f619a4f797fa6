#pragma once
// Derivatives of indexing, joining and padding that are more than one expression.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;
using at::Scalar;

// Throws: the operator has no derivative.
[[noreturn]] Tensor no_derivative(const char* op);

Tensor index_backward(const Tensor& grad, IntArrayRef self_sizes, const variable_list& indices);
Tensor index_put_self_backward(const Tensor& grad, const variable_list& indices);
Tensor index_values_backward(const Tensor& grad, const variable_list& indices);
Tensor index_add_source_backward(const Tensor& grad, IntArrayRef source_sizes, int64_t dim,
                                 const Tensor& index, const Scalar& alpha);
Tensor take_backward(const Tensor& grad, IntArrayRef self_sizes, const Tensor& index);
std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& self,
                                                   int64_t dim, const Tensor& index,
                                                   const Tensor& src, std::string_view reduce,
                                                   bool include_self, const Tensor& result);

std::vector<Tensor> cat_tensors_backward(const Tensor& grad,
                                         const std::vector<at::DimVector>& sizes,
                                         const std::vector<at::ScalarType>& dtypes, int64_t dim);
std::vector<Tensor> block_diag_backward(const Tensor& grad, const std::vector<at::DimVector>& sizes,
                                        const std::vector<at::ScalarType>& dtypes);
Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef self_sizes);
Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims);
Tensor trace_grad(const Tensor& grad, IntArrayRef sizes);
Tensor constant_pad_nd_backward(const Tensor& grad, IntArrayRef pad);

}  // namespace torch::autograd::generated
