#pragma once
// Fills memory with one element.

#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// n elements of `item` bytes (1, 2, 4, 8 or 16), dense and aligned to their size.
DECLARE_DISPATCH(void (*)(void* data, const void* value, size_t item, int64_t n), fill_stub);

}  // namespace at::native
