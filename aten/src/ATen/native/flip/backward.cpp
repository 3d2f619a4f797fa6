// The derivative of roll.

#include <ATen/native/flip/backward.h>

#include <ATen/ops/roll.h>

namespace torch::autograd::generated {

using at::DimVector;

Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims) {
  DimVector back(shifts);
  for (int64_t& s : back) s = -s;
  return at::roll(grad, back, dims);
}

}  // namespace torch::autograd::generated
