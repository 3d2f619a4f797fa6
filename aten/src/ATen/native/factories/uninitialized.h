#pragma once
// Values for memory that has none yet, so that a program that reads it by mistake does the same
// each time.

#include <ATen/core/Tensor.h>

namespace at::native {

// In deterministic mode, while torch.utils.deterministic.fill_uninitialized_memory is set: NaN, the
// largest integer, or True, in each element.
Tensor with_defined_values(Tensor t);
// The same for what a storage has beyond `from` bytes.
void define_values_from(const Tensor& t, size_t from);

}  // namespace at::native
