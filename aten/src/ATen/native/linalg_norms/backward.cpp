// The derivative of the pseudoinverse.

#include <ATen/native/linalg_norms/backward.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/mH.h>
#include <ATen/ops/matmul.h>

namespace torch::autograd::generated {

using at::matmul;
using at::mH;

// dP = -P dA P + P P^H dA^H (1 - A P) + (1 - P A) dA^H P^H P, for matrices of constant rank (Golub
// and Pereyra, 1973).
Tensor pinv_backward(const Tensor& grad, const Tensor& P, const Tensor& A) {
  const Tensor Ph = mH(P), gh = mH(grad);
  // Products are grouped so that inner ones have the smaller size of the matrix twice.
  const bool is_tall = A.sizes()[A.dim() - 2] > A.sizes()[A.dim() - 1];
  auto product = [&](const Tensor& x, const Tensor& y, const Tensor& z) {
    return is_tall ? matmul(x, matmul(y, z)) : matmul(matmul(x, y), z);
  };
  const Tensor left = product(gh, P, Ph), right = product(Ph, P, gh);
  return left - product(A, P, left) + right - product(right, P, A) - product(Ph, grad, Ph);
}

}  // namespace torch::autograd::generated
