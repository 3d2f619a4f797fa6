#pragma once
// What the generated autograd kernels (Ops_*.cpp) are made of.

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/variable.h>

namespace torch::autograd {

using at::DimVector;

// Kernels below autograd call operators that are not to be recorded.
struct BelowAutograd : c10::impl::ExcludeDispatchKeyGuard {
  BelowAutograd() : ExcludeDispatchKeyGuard(c10::autograd_dispatch_keyset) {}
};

inline bool wants_grad(const Tensor& t) {
  return t.defined() && t.unsafeGetTensorImpl()->has_autograd_key() && requires_grad(t);
}
inline bool wants_grad(const std::optional<Tensor>& t) { return t && wants_grad(*t); }
inline bool wants_grad(at::TensorList list) {
  for (const Tensor& t : list) {
    if (wants_grad(t)) return true;
  }
  return false;
}
inline bool wants_grad(at::OptionalTensorList list) {
  for (const auto& t : list) {
    if (wants_grad(t)) return true;
  }
  return false;
}
template <typename... A>
bool compute_requires_grad(const A&... a) {
  return c10::GradMode::is_enabled() && (wants_grad(a) || ...);
}

// Throws where a tensor that takes part in differentiation may not be changed in place.
void check_inplace(const Tensor& self, const char* op, bool needs_grad = true);
inline void check_inplace(at::TensorList list, const char* op, bool needs_grad = true) {
  for (const Tensor& t : list) check_inplace(t, op, needs_grad);
}
[[noreturn]] void throw_error_out_requires_grad(const char* op);
[[noreturn]] void throw_error_not_differentiable(const char* op);
// The history of a tensor that was overwritten by values that depend on nothing differentiable.
void set_constant_history(const Tensor& self);
Tensor clone_for_inplace(const Tensor& self);

struct ResultList {
  std::initializer_list<const Tensor*> list;
  ResultList(std::initializer_list<const Tensor*> l) : list(l) {}
};
// Note [Results that are not views] in ATen/native/ResultChecks.h: the generated kernels see to it,
// and debug builds make sure.
inline void check_no_view([[maybe_unused]] const Tensor& result) {
  TORCH_INTERNAL_ASSERT_DEBUG_ONLY(!result.defined() || !result.is_view(),
                                   "an operator that is no view returned a view");
}
inline void check_no_view(at::TensorList results) {
  for (const Tensor& t : results) check_no_view(t);
}
inline void check_no_view(const ResultList& results) {
  for (const Tensor* t : results.list) check_no_view(*t);
}
inline void set_history(const ResultList& results, const intrusive_ptr<Node>& node) {
  for (const Tensor* t : results.list) set_history(*t, node);
}
// Several views of one tensor: none of them may be changed in place afterwards.
void set_history(const std::vector<Tensor>& results, const intrusive_ptr<Node>& node);

std::vector<DimVector> to_args_sizes(at::TensorList list);
std::vector<at::ScalarType> to_args_scalartypes(at::TensorList list);
inline void put_list(variable_list& into, size_t at, std::vector<Tensor> grads) {
  for (size_t i = 0; i < grads.size(); ++i) into[at + i] = std::move(grads[i]);
}

}  // namespace torch::autograd
