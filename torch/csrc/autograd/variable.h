#pragma once
// What autograd keeps for a tensor, and how tensors and nodes are tied together.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd {

struct TensorHooks {
  std::vector<std::shared_ptr<TensorHook>> pre;  // of a leaf; other tensors' stand in their node
  std::vector<std::shared_ptr<TensorHook>> post_accumulate;
};

struct AutogradMeta final : c10::AutogradMetaInterface {
  ~AutogradMeta() override {
    if (grad_fn) free_node(std::move(grad_fn));
  }
  Tensor grad;
  Tensor tangent;  // Note [Forward mode] in forward_grad.h
  intrusive_ptr<Node> grad_fn;
  c10::weak_intrusive_ptr<Node> grad_accumulator;
  std::unique_ptr<TensorHooks> hooks;
  std::string name;
  uint32_t output_nr = 0;
  bool requires_grad = false;  // of a leaf
  bool retains_grad = false;
  bool any_grad_dtype = false;                              // Tensor.grad_dtype is None
  c10::ScalarType grad_dtype = c10::ScalarType::Undefined;  // Undefined: the tensor's own
};

// The meta data of a tensor, or null; made where it is absent.
inline AutogradMeta* get_autograd_meta(const at::TensorBase& t) {
  return static_cast<AutogradMeta*>(t.unsafeGetTensorImpl()->autograd_meta());
}
AutogradMeta& materialize_autograd_meta(const at::TensorBase& t);

// The node that computed a tensor; null for leaves. For a view whose base was changed in place
// since, this makes a new node that takes the view from the base as it is now (Note [Views and
// their bases]).
intrusive_ptr<Node> grad_fn(const at::TensorBase& t);
bool requires_grad(const at::TensorBase& t);
// Where the gradient of a tensor goes: its node, or for a leaf the node that adds up its .grad.
Edge gradient_edge(const Tensor& t);
intrusive_ptr<Node> grad_accumulator(const Tensor& t);
// The type in which a leaf's gradient is kept; nothing where any is taken.
std::optional<c10::ScalarType> grad_dtype(const at::TensorBase& t);
void set_grad_dtype(const Tensor& t, std::optional<c10::ScalarType> dtype);
// The accumulator if somebody holds it.
intrusive_ptr<Node> try_get_grad_accumulator(const at::TensorBase& t);

// Throws if a view has no single history to rebuild: made without grad, by a node that gives
// several views, or by a custom Function. `indirectly`: its base was changed, or another view of
// it.
void check_view_may_change(const Tensor& t, bool indirectly);

void set_gradient_edge(const Tensor& t, Edge edge);
// Makes the tensor a leaf whose gradient goes where the accumulator adds it up.
void set_leaf_of(const Tensor& t, const intrusive_ptr<Node>& accumulator);
// Makes the node the history of a new result.
void set_history(const Tensor& result, const intrusive_ptr<Node>& node);
// Makes the node the latest step in the history of a tensor that was changed in place.
void rebase_history(const Tensor& self, const intrusive_ptr<Node>& node);
// The same for a change of shape and strides alone: of a view, the base's history stays as it was.
void rebase_reshaped(const Tensor& self, const intrusive_ptr<Node>& node);
// A tensor of the same data without history.
Tensor detach_shallow(const Tensor& t);

uint32_t register_tensor_hook(const Tensor& t, std::shared_ptr<TensorHook> hook);
void retain_grad(const Tensor& t);

}  // namespace torch::autograd
