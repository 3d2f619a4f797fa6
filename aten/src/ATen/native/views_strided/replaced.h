#pragma once
// A tensor with a part of it replaced; the part is a view of it.

#include <ATen/core/Tensor.h>

namespace at::native {

// Copies src, which must have the sizes of `piece`, into it and gives back `result`.
Tensor with_piece(const Tensor& result, Tensor piece, const Tensor& src, const char* op);

}  // namespace at::native
