// Chebyshev polynomials on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/special_polynomials/polynomials.h>
#include <ATen/ops/special_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_chebyshev_polynomial_w_native.h>
#include <ATen/native/special_polynomials/cuda/Polynomial.cuh>

namespace at::native {

static void chebyshev_polynomial_t_kernel(TensorIteratorBase& iter) {
  polynomial<chebyshev_t<double>>(iter, "chebyshev_polynomial_t_cuda");
}
static void chebyshev_polynomial_u_kernel(TensorIteratorBase& iter) {
  polynomial<chebyshev_u<double>>(iter, "chebyshev_polynomial_u_cuda");
}
static void chebyshev_polynomial_v_kernel(TensorIteratorBase& iter) {
  polynomial<chebyshev_v<double>>(iter, "chebyshev_polynomial_v_cuda");
}
static void chebyshev_polynomial_w_kernel(TensorIteratorBase& iter) {
  polynomial<chebyshev_w<double>>(iter, "chebyshev_polynomial_w_cuda");
}

REGISTER_CUDA_DISPATCH(special_chebyshev_polynomial_t_stub, &chebyshev_polynomial_t_kernel)
REGISTER_CUDA_DISPATCH(special_chebyshev_polynomial_u_stub, &chebyshev_polynomial_u_kernel)
REGISTER_CUDA_DISPATCH(special_chebyshev_polynomial_v_stub, &chebyshev_polynomial_v_kernel)
REGISTER_CUDA_DISPATCH(special_chebyshev_polynomial_w_stub, &chebyshev_polynomial_w_kernel)

}  // namespace at::native
