#pragma once
// Kernels along one dimension of dense tensors, which are taken as [outer, n, inner].

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

struct Dense3 {
  int64_t outer, n, inner;
};

enum class ScanKind : uint8_t { sum, prod, max, min, logsumexp };

// Running values of type `to`; what is read becomes of that type before it is computed with.
// `places` for max and min, whose two types agree.
DECLARE_DISPATCH(void (*)(ScanKind kind, c10::ScalarType from, const void* in, c10::ScalarType to,
                          void* out, int64_t* places, Dense3 shape),
                 scan_stub);

// softmax, or its logarithm, of floating-point numbers; the two types may differ.
DECLARE_DISPATCH(void (*)(bool log, c10::ScalarType from, const void* in, c10::ScalarType to,
                          void* out, Dense3 shape),
                 softmax_stub);
// y * (g - sum(g * y)), or g - exp(y) * sum(g) for the logarithm, all of one type but the result.
DECLARE_DISPATCH(void (*)(bool log, c10::ScalarType dtype, const void* grad, const void* y,
                          c10::ScalarType to, void* out, Dense3 shape),
                 softmax_backward_stub);

}  // namespace at::native
