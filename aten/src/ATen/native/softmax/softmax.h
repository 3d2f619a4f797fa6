#pragma once
// The kernels of softmax, on contiguous tensors.

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// softmax, or log_softmax, of floating-point numbers; the two types may differ.
DECLARE_DISPATCH(void (*)(bool log, const Tensor& in, const Tensor& out, int64_t dim),
                 softmax_stub);
// y * (g - sum(g * y)), or g - exp(y) * sum(g) for log_softmax; all types agree except the
// result's.
DECLARE_DISPATCH(void (*)(bool log, const Tensor& grad, const Tensor& y, const Tensor& out,
                          int64_t dim),
                 softmax_backward_stub);

}  // namespace at::native
