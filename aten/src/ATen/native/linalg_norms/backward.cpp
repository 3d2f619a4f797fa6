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
  Tensor Ph = mH(P), gh = mH(grad);
  Tensor left = matmul(gh, matmul(P, Ph)), right = matmul(matmul(Ph, P), gh);
  return left - matmul(A, matmul(P, left)) + right - matmul(matmul(right, P), A) -
         matmul(Ph, matmul(grad, Ph));
}

}  // namespace torch::autograd::generated
