#pragma once
// The members of at::Tensor for C++ programs that are autograd's: see ATen/core/TensorMembers.inc.
// Part of the generated TensorMethods.cpp.

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/variable.h>

namespace at {

namespace {
struct FunctionHook final : torch::autograd::TensorHook {
  using Call = Tensor (*)(void* hook, const Tensor& grad);
  FunctionHook(void* hook, Call call, void (*destroy)(void* hook))
      : hook_(hook), call_(call), destroy_(destroy) {}
  ~FunctionHook() override { destroy_(hook_); }
  Tensor operator()(const Tensor& grad) override {
    Tensor replacement = call_(hook_, grad);
    return replacement.defined() ? replacement : grad;
  }

 private:
  void* hook_;
  Call call_;
  void (*destroy_)(void* hook);
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
unsigned Tensor::add_hook(void* hook, Tensor (*call)(void* hook, const Tensor& grad),
                          void (*destroy)(void* hook)) const {
  auto owner = std::make_shared<FunctionHook>(hook, call, destroy);
  TORCH_CHECK(requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
  return torch::autograd::register_tensor_hook(*this, std::move(owner));
}

}  // namespace at
