#pragma once
// Kernels that fill a new contiguous vector with a sequence of numbers.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// out[i] = start + i * step, in 64 bits. `op` is the name used in errors.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Scalar& start, const Scalar& step,
                          const char* op),
                 progression_stub);
// Evenly spaced from start to end, both exact.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Scalar& start, const Scalar& end),
                 linspace_stub);
// base to the power of these.
DECLARE_DISPATCH(void (*)(const Tensor& out, const Scalar& start, const Scalar& end, double base),
                 logspace_stub);

}  // namespace at::native
