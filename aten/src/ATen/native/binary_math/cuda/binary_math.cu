// maximum, minimum and other comparisons and products of two numbers on CUDA devices.

#include <ATen/native/binary_math/binary_functions.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/clamp_max_native.h>
#include <ATen/ops/clamp_min_native.h>
#include <ATen/ops/copysign_native.h>
#include <ATen/ops/fmax_native.h>
#include <ATen/ops/fmin_native.h>
#include <ATen/ops/gcd_native.h>
#include <ATen/ops/heaviside_native.h>
#include <ATen/ops/lcm_native.h>
#include <ATen/ops/maximum_native.h>
#include <ATen/ops/minimum_native.h>
#include <ATen/ops/nextafter_native.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <template <typename> class F>
void numbers_and_bools(TensorIteratorBase& iter, const char* op) {
  if (iter.common_dtype() == kBool) return gpu_kernel(iter, F<bool>());
  numbers<F>(iter, op);
}

template <template <typename> class F>
void plain_integers(TensorIteratorBase& iter, const char* op) {
  dispatch_types<IntegralTypes>(iter.common_dtype(), op,
                                [&]<typename T>(TypeTag<T>) { gpu_kernel(iter, F<T>()); });
}

}  // namespace

static void maximum_kernel(TensorIteratorBase& iter) {
  numbers_and_bools<Maximum>(iter, "max_elementwise_cuda");
}
static void minimum_kernel(TensorIteratorBase& iter) {
  numbers_and_bools<Minimum>(iter, "minimum_cuda");
}
static void fmax_kernel(TensorIteratorBase& iter) {
  if (isIntegralType(iter.common_dtype(), true)) return maximum_kernel(iter);
  floats<Fmax>(iter, "fmax_cuda");
}
static void fmin_kernel(TensorIteratorBase& iter) {
  if (isIntegralType(iter.common_dtype(), true)) return minimum_kernel(iter);
  floats<Fmin>(iter, "fmin_cuda");
}

static void copysign_kernel(TensorIteratorBase& iter) { floats<CopySign>(iter, "copysign_cuda"); }
static void heaviside_kernel(TensorIteratorBase& iter) {
  numbers_and_bools<Heaviside>(iter, "heaviside_cuda");
}

static void nextafter_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingAndReduced>(
      iter.common_dtype(), "nextafter_cuda",
      [&]<typename T>(TypeTag<T>) { gpu_kernel(iter, NextAfter<T>()); });
}

static void gcd_kernel(TensorIteratorBase& iter) { plain_integers<Gcd>(iter, "gcd_cuda"); }
static void lcm_kernel(TensorIteratorBase& iter) { plain_integers<Lcm>(iter, "lcm_cuda"); }

REGISTER_CUDA_DISPATCH(maximum_stub, &maximum_kernel)
REGISTER_CUDA_DISPATCH(minimum_stub, &minimum_kernel)
REGISTER_CUDA_DISPATCH(clamp_min_tensor_stub, &maximum_kernel)
REGISTER_CUDA_DISPATCH(clamp_max_tensor_stub, &minimum_kernel)
REGISTER_CUDA_DISPATCH(fmax_stub, &fmax_kernel)
REGISTER_CUDA_DISPATCH(fmin_stub, &fmin_kernel)
REGISTER_CUDA_DISPATCH(copysign_stub, &copysign_kernel)
REGISTER_CUDA_DISPATCH(heaviside_stub, &heaviside_kernel)
REGISTER_CUDA_DISPATCH(nextafter_stub, &nextafter_kernel)
REGISTER_CUDA_DISPATCH(gcd_stub, &gcd_kernel)
REGISTER_CUDA_DISPATCH(lcm_stub, &lcm_kernel)

}  // namespace at::native
