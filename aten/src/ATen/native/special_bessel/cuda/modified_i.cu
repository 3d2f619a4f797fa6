// Modified Bessel functions of the first kind on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/special_bessel/bessel_functions.h>
#include <ATen/ops/i0_native.h>
#include <ATen/ops/special_i0e_native.h>
#include <ATen/ops/special_i1_native.h>
#include <ATen/ops/special_i1e_native.h>
#include <ATen/ops/special_modified_bessel_i0_native.h>
#include <ATen/ops/special_modified_bessel_i1_native.h>
#include <ATen/native/common/cuda/InDouble.cuh>

namespace at::native {

static void i0_kernel(TensorIteratorBase& iter) { all_types_in_double<bessel_i0>(iter, "i0_cuda"); }
static void special_i0e_kernel(TensorIteratorBase& iter) {
  all_types_in_double<bessel_i0e>(iter, "i0e_cuda");
}
static void special_i1_kernel(TensorIteratorBase& iter) {
  all_types_in_double<bessel_i1>(iter, "i1_cuda");
}
static void special_i1e_kernel(TensorIteratorBase& iter) {
  all_types_in_double<bessel_i1e>(iter, "i1e_cuda");
}
static void special_modified_bessel_i0_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_i0>(iter, "modified_bessel_i0_cuda");
}
static void special_modified_bessel_i1_kernel(TensorIteratorBase& iter) {
  full_types_in_double<bessel_i1>(iter, "modified_bessel_i1_cuda");
}

REGISTER_CUDA_DISPATCH(i0_stub, &i0_kernel)
REGISTER_CUDA_DISPATCH(special_i0e_stub, &special_i0e_kernel)
REGISTER_CUDA_DISPATCH(special_i1_stub, &special_i1_kernel)
REGISTER_CUDA_DISPATCH(special_i1e_stub, &special_i1e_kernel)
REGISTER_CUDA_DISPATCH(special_modified_bessel_i0_stub, &special_modified_bessel_i0_kernel)
REGISTER_CUDA_DISPATCH(special_modified_bessel_i1_stub, &special_modified_bessel_i1_kernel)

}  // namespace at::native
