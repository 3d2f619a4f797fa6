#pragma once
// The derivative of embedding_dense_backward.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

// The derivative with respect to grad_output.
Tensor embedding_dense_second(const Tensor& grad, const Tensor& indices, int64_t padding_idx,
                              bool scale_grad_by_freq);

}  // namespace torch::autograd::generated
