// Methods and operators whose whole work is on autograd's side of a tensor.

#include <ATen/ops/detach__native.h>
#include <ATen/ops/ones_like.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

namespace at {

void Tensor::backward(const Tensor& gradient, std::optional<bool> keep_graph,
                      bool create_graph) const {
  TORCH_CHECK(defined() && requires_grad(),
              "element 0 of tensors does not require grad and does not have a grad_fn");
  TORCH_CHECK(gradient.defined() || numel() == 1,
              "grad can be implicitly created only for scalar outputs, got a tensor of sizes ",
              sizes());
  Tensor in = gradient.defined() ? gradient : at::ones_like(*this);
  TORCH_CHECK(in.sizes() == sizes(), "Mismatch in shape: the gradient has sizes ", in.sizes(),
              ", the tensor has ", sizes());
  torch::autograd::Engine::execute({torch::autograd::gradient_edge(*this)}, {in},
                                   keep_graph.value_or(create_graph), create_graph);
}

}  // namespace at

namespace at::native {

Tensor& detach_(Tensor& self) {
  TORCH_CHECK(!self.is_view(), "detach_: Can't detach views in-place. Use detach() instead.");
  if (auto* meta = torch::autograd::get_autograd_meta(self)) {
    meta->grad_fn.reset();
    meta->output_nr = 0;
    meta->requires_grad = false;
    meta->retains_grad = false;
  }
  self.unsafeGetTensorImpl()->set_autograd_key(false);
  return self;
}

}  // namespace at::native
