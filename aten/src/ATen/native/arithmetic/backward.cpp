// Derivatives of division.

#include <ATen/native/arithmetic/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/FunctionsManual.h>

namespace torch::autograd::generated {

Tensor div_self_backward(const Tensor& grad, const Tensor& other) { return grad / conj_of(other); }
Tensor div_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other) {
  return -grad * conj_of(self / other / other);
}
Tensor div_mode_self_backward(const Tensor& grad, const Tensor& other,
                              std::optional<std::string_view> mode) {
  return mode ? at::zeros_like(grad) : div_self_backward(grad, other);
}
Tensor div_mode_other_backward(const Tensor& grad, const Tensor& self, const Tensor& other,
                               std::optional<std::string_view> mode) {
  return mode ? at::zeros_like(grad) : div_other_backward(grad, self, other);
}

}  // namespace torch::autograd::generated
