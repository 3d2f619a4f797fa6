// Shifted Chebyshev polynomials on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/special_polynomials/polynomials.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_t_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_u_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_v_native.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_w_native.h>
#include <ATen/native/special_polynomials/cuda/Polynomial.cuh>

namespace at::native {

static void shifted_chebyshev_polynomial_t_kernel(TensorIteratorBase& iter) {
  polynomial<shifted<chebyshev_t<double>>>(iter, "shifted_chebyshev_polynomial_t_cuda");
}
static void shifted_chebyshev_polynomial_u_kernel(TensorIteratorBase& iter) {
  polynomial<shifted<chebyshev_u<double>>>(iter, "shifted_chebyshev_polynomial_u_cuda");
}
static void shifted_chebyshev_polynomial_v_kernel(TensorIteratorBase& iter) {
  polynomial<shifted<chebyshev_v<double>>>(iter, "shifted_chebyshev_polynomial_v_cuda");
}
static void shifted_chebyshev_polynomial_w_kernel(TensorIteratorBase& iter) {
  polynomial<shifted<chebyshev_w<double>>>(iter, "shifted_chebyshev_polynomial_w_cuda");
}

REGISTER_CUDA_DISPATCH(special_shifted_chebyshev_polynomial_t_stub,
                       &shifted_chebyshev_polynomial_t_kernel)
REGISTER_CUDA_DISPATCH(special_shifted_chebyshev_polynomial_u_stub,
                       &shifted_chebyshev_polynomial_u_kernel)
REGISTER_CUDA_DISPATCH(special_shifted_chebyshev_polynomial_v_stub,
                       &shifted_chebyshev_polynomial_v_kernel)
REGISTER_CUDA_DISPATCH(special_shifted_chebyshev_polynomial_w_stub,
                       &shifted_chebyshev_polynomial_w_kernel)

}  // namespace at::native
