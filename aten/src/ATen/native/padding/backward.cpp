// The derivative of constant padding.

#include <ATen/native/padding/backward.h>

#include <ATen/ops/constant_pad_nd.h>

namespace torch::autograd::generated {

using at::DimVector;

Tensor constant_pad_nd_backward(const Tensor& grad, IntArrayRef pad) {
  DimVector back(pad);
  for (int64_t& p : back) p = -p;
  return at::constant_pad_nd(grad, back, 0);
}

}  // namespace torch::autograd::generated
