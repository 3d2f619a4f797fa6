#pragma once
// The derivative of copies to another device.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

using at::TensorOptions;

// The gradient on the device of the tensor that was copied.
Tensor to_copy_backward(const Tensor& grad, const TensorOptions& options);

}  // namespace torch::autograd::generated
