// The sum, where it is positive.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/_add_relu_native.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/relu.h>

namespace at::native {

Tensor _add_relu(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  return at::relu(_ops::add_Tensor::call(self, other, alpha));
}

Tensor _add_relu(const Tensor& self, const Scalar& other, const Scalar& alpha) {
  return at::relu(_ops::add_Scalar::call(self, other, alpha));
}

}  // namespace at::native
