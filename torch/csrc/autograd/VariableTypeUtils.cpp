// What the generated autograd kernels call: checks, histories, errors.

#include <torch/csrc/autograd/VariableTypeUtils.h>

#include <torch/csrc/autograd/forward_grad.h>

#include <ATen/ops/clone.h>

namespace torch::autograd {

void check_inplace(const Tensor& self, const char* op, bool needs_grad) {
  if (!c10::GradMode::is_enabled()) return;
  c10::TensorImpl* impl = self.unsafeGetTensorImpl();
  // Integers and truth values have no gradient, whatever is written into them.
  needs_grad = needs_grad && (self.is_floating_point() || self.is_complex());
  TORCH_CHECK(!self.is_inference() || c10::InferenceMode::is_enabled() || !needs_grad, op,
              ": Inplace update to inference tensor outside InferenceMode is not allowed. You can "
              "make a clone to get a normal tensor before doing inplace update.");
  if (impl->view_base()) {
    Tensor base(intrusive_ptr<c10::TensorImpl>::reclaim_copy(impl->view_base()));
    auto* meta = get_autograd_meta(base);
    bool base_is_leaf = meta && meta->requires_grad && !meta->grad_fn;
    if (needs_grad || base_is_leaf) check_view_may_change(self, /*indirectly=*/false);
    TORCH_CHECK(
        !base_is_leaf, op,
        ": a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
  auto* meta = get_autograd_meta(self);
  TORCH_CHECK(!meta || !meta->requires_grad || meta->grad_fn, op,
              ": a leaf Variable that requires grad is being used in an in-place operation.");
}

void throw_error_out_requires_grad(const char* op) {
  TORCH_CHECK(false, op,
              "(): functions with out=... arguments don't support automatic differentiation, but "
              "one of the arguments requires grad.");
  __builtin_unreachable();
}

void throw_error_not_differentiable(const char* op) {
  TORCH_CHECK(false, "the derivative for '", op, "' is not implemented.");
  __builtin_unreachable();
}

namespace {
struct ConstantHistory final : Node {
  explicit ConstantHistory() : Node(1) {}
  variable_list apply(variable_list&&) override { return variable_list(num_outputs()); }
  const char* name() const override { return "ConstantBackward0"; }
};
}  // namespace

void set_constant_history(const Tensor& self) {
  auto node = make_node<ConstantHistory>();
  node->collect_next_edges(self);
  rebase_history(self, node);
}

Tensor clone_for_inplace(const Tensor& self) {
  Tensor copy = at::clone(self);
  if (const Tensor& tangent = tangent_of(self); C10_UNLIKELY(tangent.defined()))
    set_tangent(copy, at::clone(tangent));
  return copy;
}

void set_history(const std::vector<Tensor>& results, const intrusive_ptr<Node>& node) {
  for (const Tensor& t : results) {
    set_history(t, node);
    if (t.defined() && t.is_view())
      t.unsafeGetTensorImpl()->set_creation_meta(c10::CreationMeta::MultiOutputNode);
  }
}

std::vector<DimVector> to_args_sizes(at::TensorList list) {
  std::vector<DimVector> sizes;
  for (const Tensor& t : list) sizes.emplace_back(t.sizes());
  return sizes;
}

std::vector<at::ScalarType> to_args_scalartypes(at::TensorList list) {
  std::vector<at::ScalarType> types;
  for (const Tensor& t : list) types.push_back(t.scalar_type());
  return types;
}

}  // namespace torch::autograd
