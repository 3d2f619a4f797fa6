#pragma once
// x[indices] and x[indices] = values with tensors as indices, of batched tensors.

#include <ATen/functorch/BatchRules.h>

namespace at::functorch {

void index_rule(const BatchCall& call, IValueStack& stack);
void index_put_rule(const BatchCall& call, IValueStack& stack);

}  // namespace at::functorch
