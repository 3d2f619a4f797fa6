// Hermite, Laguerre and Legendre polynomials on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/special_polynomials/polynomials.h>
#include <ATen/ops/special_hermite_polynomial_h_native.h>
#include <ATen/ops/special_hermite_polynomial_he_native.h>
#include <ATen/ops/special_laguerre_polynomial_l_native.h>
#include <ATen/ops/special_legendre_polynomial_p_native.h>
#include <ATen/native/special_polynomials/cuda/Polynomial.cuh>

namespace at::native {

static void hermite_polynomial_h_kernel(TensorIteratorBase& iter) {
  polynomial<hermite_h<double>>(iter, "hermite_polynomial_h_cuda");
}
static void hermite_polynomial_he_kernel(TensorIteratorBase& iter) {
  polynomial<hermite_he<double>>(iter, "hermite_polynomial_he_cuda");
}
static void laguerre_polynomial_l_kernel(TensorIteratorBase& iter) {
  polynomial<laguerre_l<double>>(iter, "laguerre_polynomial_l_cuda");
}
static void legendre_polynomial_p_kernel(TensorIteratorBase& iter) {
  polynomial<legendre_p<double>>(iter, "legendre_polynomial_p_cuda");
}

REGISTER_CUDA_DISPATCH(special_hermite_polynomial_h_stub, &hermite_polynomial_h_kernel)
REGISTER_CUDA_DISPATCH(special_hermite_polynomial_he_stub, &hermite_polynomial_he_kernel)
REGISTER_CUDA_DISPATCH(special_laguerre_polynomial_l_stub, &laguerre_polynomial_l_kernel)
REGISTER_CUDA_DISPATCH(special_legendre_polynomial_p_stub, &legendre_polynomial_p_kernel)

}  // namespace at::native
