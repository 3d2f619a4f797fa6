// The derivative of copies to another device.

#include <ATen/native/copy/backward.h>

#include <ATen/ops/_to_copy.h>

namespace torch::autograd::generated {

Tensor to_copy_backward(const Tensor& grad, const TensorOptions& options) {
  if (grad.device() == options.device()) return grad;
  return at::_to_copy(grad, TensorOptions(grad.scalar_type()).device(options.device()));
}

}  // namespace torch::autograd::generated
