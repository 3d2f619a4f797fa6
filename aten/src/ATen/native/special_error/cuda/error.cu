// The normal distribution, the scaled error function and entropies on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/special_error/error_functions.h>
#include <ATen/ops/special_entr_native.h>
#include <ATen/ops/special_erfcx_native.h>
#include <ATen/ops/special_log_ndtr_native.h>
#include <ATen/ops/special_ndtr_native.h>
#include <ATen/ops/special_ndtri_native.h>
#include <ATen/ops/special_xlog1py_native.h>
#include <ATen/native/common/cuda/InDouble.cuh>

namespace at::native {

static void entr_kernel(TensorIteratorBase& iter) { all_types_in_double<entr>(iter, "entr_cuda"); }
static void erfcx_kernel(TensorIteratorBase& iter) {
  full_types_in_double<erfcx>(iter, "erfcx_cuda");
}
static void ndtr_kernel(TensorIteratorBase& iter) { all_types_in_double<ndtr>(iter, "ndtr_cuda"); }
static void ndtri_kernel(TensorIteratorBase& iter) {
  full_types_in_double<ndtri>(iter, "ndtri_cuda");
}
static void log_ndtr_kernel(TensorIteratorBase& iter) {
  full_types_in_double<log_ndtr>(iter, "log_ndtr_cuda");
}
static void xlog1py_kernel(TensorIteratorBase& iter) {
  in_double<FloatingAndReduced>(iter, "xlog1py_cuda", OfDoubles<xlog1py>());
}

REGISTER_CUDA_DISPATCH(special_entr_stub, &entr_kernel)
REGISTER_CUDA_DISPATCH(special_erfcx_stub, &erfcx_kernel)
REGISTER_CUDA_DISPATCH(special_ndtr_stub, &ndtr_kernel)
REGISTER_CUDA_DISPATCH(special_ndtri_stub, &ndtri_kernel)
REGISTER_CUDA_DISPATCH(special_log_ndtr_stub, &log_ndtr_kernel)
REGISTER_CUDA_DISPATCH(special_xlog1py_stub, &xlog1py_kernel)

}  // namespace at::native
