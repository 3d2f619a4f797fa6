#pragma once
// Derivatives of softmax and its logarithm, and of their derivatives.

#include <optional>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

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
