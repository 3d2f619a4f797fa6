#pragma once
// Copies a matrix into its transpose.

#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// Element (i, j), i < n0, j < n1, is at d + i * itemsize + j * d1 and at s + i * s0 + j * itemsize:
// the destination is dense along i, the source along j. Strides in bytes.
DECLARE_DISPATCH(void (*)(char* d, int64_t d1, const char* s, int64_t s0, int64_t n0, int64_t n1,
                          int64_t itemsize),
                 transpose_copy_stub);

}  // namespace at::native
