#pragma once
// Kernels of activations whose operators are written by hand, and checks that all kernels make.

#include <string_view>

#include <ATen/core/Generator.h>
#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::native {

// out = min(x, 0) - log(1 + exp(-|x|))
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), log_sigmoid_stub);
// out = value * sigmoid(gate)
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), glu_stub);
// Operands: gradients of value and gate; then gradient, value, gate.
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), glu_backward_stub);
// Operands: tangent of glu; then glu, gate, tangents of value and gate.
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), glu_jvp_stub);
// Operands: gradients of self and weight; then gradient, self, weight.
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), prelu_backward_stub);

// out = x > 0 ? x : x * noise, with noise uniform in [lower, upper), and 1 where x > 0. Tensors are
// dense.
DECLARE_DISPATCH(void (*)(const Tensor& self, double lower, double upper,
                          const std::optional<Generator>&, const Tensor& noise, const Tensor& out),
                 rrelu_stub);

// The sign of a result is that of the input only if the slope is not negative.
inline void check_leaky_relu_result(bool self_is_result, const Scalar& negative_slope) {
  TORCH_CHECK(!self_is_result || negative_slope.toDouble() >= 0,
              "leaky_relu_backward: In-place leakyReLu backward calculation is triggered with a "
              "negative slope which is not supported, got ",
              negative_slope.toDouble());
}
inline void check_elu_result(bool is_result, const Scalar& alpha) {
  TORCH_CHECK(!is_result || alpha.toDouble() >= 0,
              "elu_backward: In-place elu backward calculation is triggered with a negative "
              "slope which is not supported, got ",
              alpha.toDouble());
}
inline bool gelu_by_tanh(std::string_view approximate) {
  TORCH_CHECK(approximate == "none" || approximate == "tanh",
              "gelu: approximate argument must be either none or tanh, got '", approximate, "'");
  return approximate == "tanh";
}

}  // namespace at::native
