#pragma once
// Kernels of activations whose operators are written by hand.

#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::native {

// out = min(x, 0) - log(1 + exp(-|x|))
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), log_sigmoid_stub);
// Operands: gradients of self and weight; then gradient, self, weight.
DECLARE_DISPATCH(void (*)(TensorIteratorBase&), prelu_backward_stub);

}  // namespace at::native
