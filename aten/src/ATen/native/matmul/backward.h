#pragma once
// Derivatives of products of matrices.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

// grad * factor, without a copy if the factor is one.
Tensor scaled(const Tensor& grad, const at::Scalar& factor);
// The gradients of alpha * self mat2. A column-major factor gets a column-major
// gradient.
Tensor mm_self_backward(const Tensor& grad, const Tensor& mat2, at::IntArrayRef sizes,
                        at::IntArrayRef strides, const at::Scalar& alpha);
Tensor mm_mat2_backward(const Tensor& grad, const Tensor& self, at::IntArrayRef sizes,
                        at::IntArrayRef strides, const at::Scalar& alpha);
Tensor expand_batch(const Tensor& grad, at::IntArrayRef batch_sizes);

}  // namespace torch::autograd::generated
