#pragma once
// What generated operators on lists of tensors (_foreach_add) do before and during their loop.

#include <initializer_list>

#include <ATen/core/Tensor.h>

namespace at::native {

// Raises unless the first list has elements and the others are as long.
void check_lists(const char* op, size_t size, std::initializer_list<size_t> others);

// A list refers to constant handles. In-place operators change the tensor behind a handle and
// return a reference to it.
inline Tensor& element_to_change(TensorList list, size_t i) { return const_cast<Tensor&>(list[i]); }

}  // namespace at::native
