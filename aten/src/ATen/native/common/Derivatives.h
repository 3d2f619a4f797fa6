#pragma once
// Whether a call may be differentiated: composites then choose operators that have a derivative.

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

namespace at::native {

// A gradient may flow back through this tensor, or it carries a tangent. Of a batched tensor, the
// value may.
inline bool may_need_derivative(const Tensor& t) {
  return t.defined() && ((c10::GradMode::is_enabled() && t.requires_grad()) ||
                         t.key_set().has(c10::Functionality::ForwardGrad) ||
                         t.key_set().has(c10::Functionality::FuncTorchBatched));
}

// For a backward formula: whether the gradient is differentiated in turn, because its graph is
// recorded, or because one of the tensors that it is computed from carries a tangent. Formulas then
// choose operators that have a derivative, and compute anew what was saved without a history.
template <typename... T>
bool is_differentiated_again(const T&... tensors) {
  return c10::GradMode::is_enabled() || (may_need_derivative(tensors) || ...);
}

}  // namespace at::native
