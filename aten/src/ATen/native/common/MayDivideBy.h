#pragma once
// Derivatives of products divide the product by a factor.

#include <ATen/core/Tensor.h>

namespace at::native {

// Whether no element is 0; false if they may not be read. True without data, where only shapes
// count.
bool may_divide_by(const Tensor& t);

}  // namespace at::native
