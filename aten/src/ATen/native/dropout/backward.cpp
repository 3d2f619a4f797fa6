// The gradient of dropout with a mask.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/native_dropout_backward_native.h>

namespace at::native {

Tensor native_dropout_backward(const Tensor& grad_output, const Tensor& mask, double scale) {
  return grad_output * (mask * Scalar(scale));
}

}  // namespace at::native
