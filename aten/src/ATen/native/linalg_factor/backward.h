#pragma once
// Derivatives of factorizations. G^H is the conjugate transpose of G; gradients of results that
// were not used are undefined.

#include <torch/csrc/autograd/function.h>

namespace torch::autograd::generated {

Tensor cholesky_backward(const Tensor& grad, bool upper, const Tensor& L);
Tensor cholesky_inverse_backward(const Tensor& grad, const Tensor& L, bool upper,
                                 const Tensor& inverse);
std::tuple<Tensor, Tensor> cholesky_solve_backward(const Tensor& grad, const Tensor& L, bool upper,
                                                   const Tensor& X);

Tensor lu_backward(const Tensor& gL, const Tensor& gU, const Tensor& P, const Tensor& L,
                   const Tensor& U, bool pivot);
Tensor lu_factor_backward(const Tensor& grad, const Tensor& LU, const Tensor& pivots, bool pivot);
Tensor lu_unpack_backward(const Tensor& gL, const Tensor& gU, at::IntArrayRef sizes);
std::tuple<Tensor, Tensor> lu_solve_backward(const Tensor& grad, const Tensor& LU,
                                             const Tensor& pivots, at::IntArrayRef b_sizes,
                                             const Tensor& X, bool left, bool adjoint,
                                             std::array<bool, 2> mask);

Tensor qr_backward(const Tensor& gQ, const Tensor& gR, const Tensor& Q, const Tensor& R,
                   std::string_view mode);
std::tuple<Tensor, Tensor> householder_product_backward(const Tensor& grad, const Tensor& Q,
                                                        const Tensor& input, const Tensor& tau);
std::tuple<Tensor, Tensor, Tensor> ormqr_backward(const Tensor& grad, const Tensor& self,
                                                  const Tensor& tau, const Tensor& other, bool left,
                                                  bool transpose, std::array<bool, 3> mask);

}  // namespace torch::autograd::generated
