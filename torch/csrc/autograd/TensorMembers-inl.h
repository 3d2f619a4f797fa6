#pragma once
// The members of at::Tensor for C++ programs that are autograd's: see ATen/core/TensorMembers.inc.
// Part of the generated TensorMethods.cpp.

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/variable.h>

namespace at {

namespace {
struct FunctionHook final : torch::autograd::TensorHook {
  explicit FunctionHook(std::function<Tensor(const Tensor&)> f) : function(std::move(f)) {}
  Tensor operator()(const Tensor& grad) override {
    Tensor replacement = function(grad);
    return replacement.defined() ? replacement : grad;
  }
  std::function<Tensor(const Tensor&)> function;
};
}  // namespace

Tensor Tensor::data() const { return torch::autograd::detach_shallow(*this); }
void Tensor::retain_grad() const { torch::autograd::retain_grad(*this); }
int64_t Tensor::output_nr() const {
  auto* meta = torch::autograd::get_autograd_meta(*this);
  return meta ? meta->output_nr : 0;
}
intrusive_ptr<torch::autograd::Node> Tensor::grad_fn() const {
  return torch::autograd::grad_fn(*this);
}
unsigned Tensor::add_hook(std::function<Tensor(const Tensor&)> hook) const {
  TORCH_CHECK(requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
  return torch::autograd::register_tensor_hook(*this,
                                               std::make_shared<FunctionHook>(std::move(hook)));
}

}  // namespace at
