#pragma once
// New tensors in memory that a device reads and writes directly.

#include <optional>

#include <ATen/core/Tensor.h>

namespace at::native {

// With pin_memory, a new tensor gets pinned memory, before it is filled. Throws if it is not on the
// CPU, or if no backend pins memory.
Tensor in_pinned_memory(const char* op, Tensor made, std::optional<bool> pin_memory);

}  // namespace at::native
