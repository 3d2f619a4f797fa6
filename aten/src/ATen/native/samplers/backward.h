#pragma once
// Derivatives of samples with respect to the parameters of their distributions.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

Tensor sample_dirichlet_backward(const Tensor& grad, const Tensor& concentration,
                                 const Tensor& sample);

}  // namespace torch::autograd::generated
