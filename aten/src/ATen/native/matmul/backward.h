#pragma once
// Derivatives of products of matrices.

#include <torch/csrc/autograd/function.h>

#include <array>
#include <tuple>

namespace torch::autograd::generated {

// grad * factor, without a copy if the factor is one.
Tensor scaled(const Tensor& grad, const at::Scalar& factor);
// The gradients of alpha * self mat2. A column-major factor gets a column-major
// gradient.
Tensor mm_self_backward(const Tensor& grad, const Tensor& mat2, at::IntArrayRef sizes,
                        at::IntArrayRef strides, const at::Scalar& alpha);
Tensor mm_mat2_backward(const Tensor& grad, const Tensor& self, at::IntArrayRef sizes,
                        at::IntArrayRef strides, const at::Scalar& alpha);
// Of _addmm_activation, which recomputes the product for gelu.
std::tuple<Tensor, Tensor, Tensor> addmm_activation_backward(const Tensor& grad, const Tensor& self,
                                                             const Tensor& mat1, const Tensor& mat2,
                                                             const Tensor& result,
                                                             const at::Scalar& beta,
                                                             const at::Scalar& alpha, bool use_gelu,
                                                             std::array<bool, 3> mask);
Tensor expand_batch(const Tensor& grad, at::IntArrayRef batch_sizes);

}  // namespace torch::autograd::generated
