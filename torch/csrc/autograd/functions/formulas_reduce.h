#pragma once
// Derivatives of reductions, scans and softmax.

#include <optional>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::IntArrayRef;
using at::OptionalIntArrayRef;
using at::Scalar;

Tensor sum_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim);
Tensor mean_backward(const Tensor& grad, IntArrayRef sizes, OptionalIntArrayRef dim, bool keepdim);
Tensor prod_backward(const Tensor& grad, const Tensor& self, const Tensor& result);
Tensor prod_dim_backward(const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim,
                         bool keepdim);

Tensor var_backward(const Tensor& grad, const Tensor& self, OptionalIntArrayRef dim,
                    const std::optional<Scalar>& correction, bool keepdim);
Tensor std_backward(const Tensor& result, const Tensor& grad, const Tensor& self,
                    OptionalIntArrayRef dim, const std::optional<Scalar>& correction, bool keepdim);
Tensor var_mean_backward(const variable_list& grads, const Tensor& self, OptionalIntArrayRef dim,
                         const std::optional<Scalar>& correction, bool keepdim);
Tensor std_mean_backward(const variable_list& grads, const Tensor& std, const Tensor& self,
                         OptionalIntArrayRef dim, const std::optional<Scalar>& correction,
                         bool keepdim);

// Extremes: equal ones share the gradient.
Tensor extreme_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                        IntArrayRef dim, bool keepdim);
Tensor aminmax_backward(const variable_list& grads, const Tensor& self, const Tensor& min,
                        const Tensor& max, std::optional<int64_t> dim, bool keepdim);
Tensor logsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                          IntArrayRef dim, bool keepdim);
Tensor linalg_vector_norm_backward(const Tensor& grad, const Tensor& self, const Scalar& ord,
                                   OptionalIntArrayRef dim, bool keepdim, const Tensor& result);

Tensor cumsum_backward(const Tensor& grad, int64_t dim);
Tensor cumprod_backward(const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim);
Tensor cummaxmin_backward(const Tensor& grad, const Tensor& self, const Tensor& indices,
                          int64_t dim);
Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                             int64_t dim);

Tensor softmax_gradient(const Tensor& grad, const Tensor& result, int64_t dim,
                        at::ScalarType input_dtype);
Tensor softmax_second_grad_output(const Tensor& grad, const Tensor& grad_output,
                                  const Tensor& output, int64_t dim);
Tensor softmax_second_output(const Tensor& grad, const Tensor& grad_output, const Tensor& output,
                             int64_t dim);
Tensor log_softmax_gradient(const Tensor& grad, const Tensor& result, int64_t dim,
                            at::ScalarType input_dtype);
Tensor log_softmax_second_grad_output(const Tensor& grad, const Tensor& grad_output,
                                      const Tensor& output, int64_t dim);
Tensor log_softmax_second_output(const Tensor& grad, const Tensor& grad_output,
                                 const Tensor& output, int64_t dim);

}  // namespace torch::autograd::generated
