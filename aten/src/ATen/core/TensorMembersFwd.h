#pragma once
// What the declarations of TensorMembers.inc need. See Note [Tensor methods] in core/Tensor.h.

#include <initializer_list>

#include <ATen/core/TensorAccessor.h>

namespace at::indexing {
struct TensorIndex;
}
namespace torch::autograd {
struct Node;
}
