// Operators whose whole work is on autograd's side of a tensor.

#include <ATen/ops/detach__native.h>
#include <torch/csrc/autograd/variable.h>

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
