// Bessel functions J and Y, and the Airy function, on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/special_bessel/wave_functions.h>
#include <ATen/ops/special_airy_ai_native.h>
#include <ATen/ops/special_bessel_j0_native.h>
#include <ATen/ops/special_bessel_j1_native.h>
#include <ATen/ops/special_bessel_y0_native.h>
#include <ATen/ops/special_bessel_y1_native.h>
#include <ATen/ops/special_spherical_bessel_j0_native.h>
#include <ATen/native/common/cuda/InDouble.cuh>

namespace at::native {

static void special_airy_ai_kernel(TensorIteratorBase& iter) {
  full_types_in_double<airy_ai>(iter, "airy_ai_cuda");
}
static void special_bessel_j0_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_j0>(iter, "bessel_j0_cuda");
}
static void special_bessel_j1_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_j1>(iter, "bessel_j1_cuda");
}
static void special_bessel_y0_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_y0>(iter, "bessel_y0_cuda");
}
static void special_bessel_y1_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_y1>(iter, "bessel_y1_cuda");
}
static void special_spherical_bessel_j0_kernel(TensorIteratorBase& iter) {
  full_types_in_double<spherical_j0>(iter, "spherical_bessel_j0_cuda");
}

REGISTER_CUDA_DISPATCH(special_airy_ai_stub, &special_airy_ai_kernel)
REGISTER_CUDA_DISPATCH(special_bessel_j0_stub, &special_bessel_j0_kernel)
REGISTER_CUDA_DISPATCH(special_bessel_j1_stub, &special_bessel_j1_kernel)
REGISTER_CUDA_DISPATCH(special_bessel_y0_stub, &special_bessel_y0_kernel)
REGISTER_CUDA_DISPATCH(special_bessel_y1_stub, &special_bessel_y1_kernel)
REGISTER_CUDA_DISPATCH(special_spherical_bessel_j0_stub, &special_spherical_bessel_j0_kernel)

}  // namespace at::native
