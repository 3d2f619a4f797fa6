#pragma once
// Kernels along one dimension of dense tensors, viewed as [outer, n, inner].

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

enum class ScanKind : uint8_t { sum, prod, max, min, logsumexp };

// Running values along `dim` of contiguous tensors. Elements are converted to the type of `out`
// first. `indices` (int64) is defined for max and min, whose two types agree.
DECLARE_DISPATCH(void (*)(ScanKind kind, const Tensor& in, const Tensor& out, const Tensor& indices,
                          int64_t dim),
                 scan_stub);

}  // namespace at::native
