#pragma once
// Derivatives of eigenvalues and singular values, and of their vectors.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

Tensor eig_backward(const Tensor& gL, const Tensor& gV, const Tensor& L, const Tensor& V,
                    bool is_complex);
Tensor eigh_backward(const Tensor& gL, const Tensor& gV, const Tensor& L, const Tensor& V,
                     bool has_vectors);
Tensor svd_backward(const Tensor& gU, const Tensor& gS, const Tensor& gVh, const Tensor& U,
                    const Tensor& S, const Tensor& Vh, bool full_matrices, bool has_vectors);

}  // namespace torch::autograd::generated
