// Activations made of products and differences on CUDA devices: the hard ones, and shrinking ones.

#include <ATen/native/activation/activation_functions.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/hardshrink_backward_native.h>
#include <ATen/ops/hardshrink_native.h>
#include <ATen/ops/hardsigmoid_backward_native.h>
#include <ATen/ops/hardsigmoid_native.h>
#include <ATen/ops/hardswish_backward_native.h>
#include <ATen/ops/hardswish_native.h>
#include <ATen/ops/softshrink_backward_native.h>
#include <ATen/ops/softshrink_native.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
using namespace activation;

static void hardswish_kernel(TensorIteratorBase& iter) {
  floats<Hardswish>(iter, "hardswish_cuda");
}
static void hardswish_backward_kernel(TensorIteratorBase& iter) {
  floats<HardswishBackward>(iter, "hardswish_backward_cuda");
}
static void hardsigmoid_kernel(TensorIteratorBase& iter) {
  floats<Hardsigmoid>(iter, "hardsigmoid_cuda");
}
static void hardsigmoid_backward_kernel(TensorIteratorBase& iter) {
  floats<HardsigmoidBackward>(iter, "hardsigmoid_backward_cuda");
}

static void hardshrink_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  floats<Hardshrink>(iter, "hardshrink_cuda", lambd);
}
static void shrink_backward_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  floats<HardshrinkBackward>(iter, "shrink_backward_cuda", lambd);
}
static void softshrink_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  floats<Softshrink>(iter, "softshrink_cuda", lambd);
}

REGISTER_CUDA_DISPATCH(hardswish_stub, &hardswish_kernel)
REGISTER_CUDA_DISPATCH(hardswish_backward_stub, &hardswish_backward_kernel)
REGISTER_CUDA_DISPATCH(hardsigmoid_stub, &hardsigmoid_kernel)
REGISTER_CUDA_DISPATCH(hardsigmoid_backward_stub, &hardsigmoid_backward_kernel)
REGISTER_CUDA_DISPATCH(hardshrink_stub, &hardshrink_kernel)
REGISTER_CUDA_DISPATCH(hardshrink_backward_stub, &shrink_backward_kernel)
REGISTER_CUDA_DISPATCH(softshrink_backward_stub, &shrink_backward_kernel)
REGISTER_CUDA_DISPATCH(softshrink_stub, &softshrink_kernel)

}  // namespace at::native
