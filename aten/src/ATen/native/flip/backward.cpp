// The derivative of roll.

#include <ATen/native/flip/backward.h>

#include <ATen/ops/roll.h>

namespace torch::autograd::generated {

using at::DimVector;

Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims) {
  DimVector back(shifts);
  for (size_t k = 0; k < back.size(); ++k) {
    // Any int64_t has an opposite among the remainders.
    const int64_t n = k < dims.size() ? grad.size(dims[k]) : grad.numel();
    back[k] = n == 0 ? 0 : -(back[k] % n);
  }
  return at::roll(grad, back, dims);
}

}  // namespace torch::autograd::generated
