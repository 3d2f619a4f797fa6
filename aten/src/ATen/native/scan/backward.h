#pragma once
// Derivatives of scans.

#include <optional>
#include <tuple>

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

Tensor cumsum_backward(const Tensor& grad, int64_t dim);
Tensor cumprod_gradient(const Tensor& grad, const Tensor& self, const Tensor& result, int64_t dim);
Tensor cummaxmin_gradient(const Tensor& grad, const Tensor& self, const Tensor& indices,
                          int64_t dim);
Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& self, const Tensor& result,
                             int64_t dim);

}  // namespace torch::autograd::generated
