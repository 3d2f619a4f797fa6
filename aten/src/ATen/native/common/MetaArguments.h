#pragma once
// What functions for the meta device check of their arguments.

#include <initializer_list>

#include <ATen/core/Tensor.h>

namespace at::native {

// Throws if one of the tensors is on a device with memory. Undefined tensors are on none.
void check_all_meta(const char* op, std::initializer_list<const Tensor*> tensors);

}  // namespace at::native
