#pragma once
// The kernels of softmax on dense tensors, taken as [outer, n, inner].

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// softmax, or its logarithm, of floating-point numbers; the two types may differ.
DECLARE_DISPATCH(void (*)(bool log, c10::ScalarType from, const void* in, c10::ScalarType to,
                          void* out, Dense3 shape),
                 softmax_stub);
// y * (g - sum(g * y)), or g - exp(y) * sum(g) for the logarithm, all of one type but the result.
DECLARE_DISPATCH(void (*)(bool log, c10::ScalarType dtype, const void* grad, const void* y,
                          c10::ScalarType to, void* out, Dense3 shape),
                 softmax_backward_stub);

}  // namespace at::native
