#pragma once
// Converts runs of elements between any two types. Kernels compute in few types; operands
// of other types are converted in pieces that stay in the first-level cache (see
// Elementwise.h).

#include <ATen/native/common/DispatchStub.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// Converts n contiguous elements of type `from` at src to type `to` at dst. The runs must not
// overlap. Floats out of an integer's range give the processor's result; NaN is true as bool.
DECLARE_DISPATCH(void (*)(c10::ScalarType from, const void* src, c10::ScalarType to, void* dst,
                          int64_t n),
                 convert_stub);

// The loop that does this in one step, or null if it takes several. For callers that convert many
// short runs.
using ConvertLoop = void (*)(const void* src, void* dst, int64_t n);
DECLARE_DISPATCH(ConvertLoop (*)(c10::ScalarType from, c10::ScalarType to), direct_conversion_stub);

inline void convert_elements(c10::ScalarType from, const void* src, c10::ScalarType to, void* dst,
                             int64_t n) {
  convert_stub(c10::DeviceType::CPU, from, src, to, dst, n);
}

}  // namespace at::native
