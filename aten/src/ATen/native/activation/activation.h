#pragma once
// Kernels of activations whose operators are written by hand.

#include <ATen/core/Generator.h>
#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::native {

// out = min(x, 0) - log(1 + exp(-|x|))
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), log_sigmoid_stub);
// Operands: gradients of self and weight; then gradient, self, weight.
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), prelu_backward_stub);

// out = x > 0 ? x : x * noise, with noise uniform in [lower, upper), and 1 where x > 0. Tensors are
// dense.
DECLARE_DISPATCH(void (*)(const Tensor& self, double lower, double upper,
                          const std::optional<Generator>&, const Tensor& noise, const Tensor& out),
                 rrelu_stub);

}  // namespace at::native
