#pragma once
// Kernels along one dimension of dense tensors, which are taken as [outer, n, inner].

#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

enum class ScanKind : uint8_t { sum, prod, max, min, logsumexp };

// Running values of type `to`; what is read becomes of that type before it is computed with.
// `places` for max and min, whose two types agree.
DECLARE_DISPATCH(void (*)(ScanKind kind, c10::ScalarType from, const void* in, c10::ScalarType to,
                          void* out, int64_t* places, Dense3 shape),
                 scan_stub);

}  // namespace at::native
