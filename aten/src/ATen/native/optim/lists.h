#pragma once
// Lists of tensors of the forms of optimizer steps.

#include <ATen/core/Tensor.h>

#include <vector>

namespace at::native {

std::vector<Tensor> copies(TensorList tensors);
// Copies tensors to those of an out= list, which get their sizes.
void copy_to(const char* op, TensorList out, TensorList tensors);

}  // namespace at::native
