#pragma once
// Copies of a tensor with a part replaced; the part is a view of the copy.

#include <ATen/core/Tensor.h>

namespace at::native {

// Copies src, which must have the sizes of `piece`, into it and returns `result`.
Tensor with_piece(const Tensor& result, Tensor piece, const Tensor& src, const char* op);

}  // namespace at::native
