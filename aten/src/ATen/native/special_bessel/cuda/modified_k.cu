// Modified Bessel functions of the second kind on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/special_bessel/bessel_functions.h>
#include <ATen/ops/special_modified_bessel_k0_native.h>
#include <ATen/ops/special_modified_bessel_k1_native.h>
#include <ATen/ops/special_scaled_modified_bessel_k0_native.h>
#include <ATen/ops/special_scaled_modified_bessel_k1_native.h>
#include <ATen/native/common/cuda/InDouble.cuh>

namespace at::native {

static void special_modified_bessel_k0_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_k0>(iter, "modified_bessel_k0_cuda");
}
static void special_modified_bessel_k1_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_k1>(iter, "modified_bessel_k1_cuda");
}
static void special_scaled_modified_bessel_k0_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_k0e>(iter, "scaled_modified_bessel_k0_cuda");
}
static void special_scaled_modified_bessel_k1_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_k1e>(iter, "scaled_modified_bessel_k1_cuda");
}

REGISTER_CUDA_DISPATCH(special_modified_bessel_k0_stub, &special_modified_bessel_k0_kernel)
REGISTER_CUDA_DISPATCH(special_modified_bessel_k1_stub, &special_modified_bessel_k1_kernel)
REGISTER_CUDA_DISPATCH(special_scaled_modified_bessel_k0_stub,
                       &special_scaled_modified_bessel_k0_kernel)
REGISTER_CUDA_DISPATCH(special_scaled_modified_bessel_k1_stub,
                       &special_scaled_modified_bessel_k1_kernel)

}  // namespace at::native
