// Scans and their gradients under internal names.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/scan/backward.h>
#include <ATen/ops/_cummax_helper_native.h>
#include <ATen/ops/_cummin_helper_native.h>
#include <ATen/ops/_logcumsumexp_native.h>
#include <ATen/ops/cummax_ops.h>
#include <ATen/ops/cummaxmin_backward_native.h>
#include <ATen/ops/cummin_ops.h>
#include <ATen/ops/cumprod_backward_native.h>
#include <ATen/ops/logcumsumexp.h>

namespace at::native {

Tensor _logcumsumexp(const Tensor& self, int64_t dim) { return at::logcumsumexp(self, dim); }

void _cummax_helper(const Tensor& self, Tensor& values, Tensor& indices, int64_t dim) {
  _ops::cummax_out::call(self, dim, values, indices);
}
void _cummin_helper(const Tensor& self, Tensor& values, Tensor& indices, int64_t dim) {
  _ops::cummin_out::call(self, dim, values, indices);
}

Tensor cummaxmin_backward(const Tensor& grad, const Tensor& input, const Tensor& indices,
                          int64_t dim) {
  return torch::autograd::generated::cummaxmin_gradient(grad, input, indices, dim);
}
Tensor cumprod_backward(const Tensor& grad, const Tensor& input, int64_t dim,
                        const Tensor& output) {
  return torch::autograd::generated::cumprod_gradient(grad, input, output, dim);
}

}  // namespace at::native
