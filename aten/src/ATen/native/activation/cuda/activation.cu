// Activations made of comparisons on CUDA devices: relu and its relatives.

#include <ATen/native/activation/activation.h>
#include <ATen/native/activation/activation_functions.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/clamp_native.h>
#include <ATen/ops/hardtanh_backward_native.h>
#include <ATen/ops/hardtanh_native.h>
#include <ATen/ops/leaky_relu_backward_native.h>
#include <ATen/ops/leaky_relu_native.h>
#include <ATen/ops/relu_native.h>
#include <ATen/ops/threshold_backward_native.h>
#include <ATen/ops/threshold_native.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
using namespace activation;

// Cut to a range, which is what clamp's kernel does.
static void cut(TensorIteratorBase& iter, const char* op, const Scalar& min,
                const std::optional<Scalar>& max) {
  dispatch_types<RealTypes>(iter.common_dtype(), op, []<typename T>(TypeTag<T>) {});
  clamp_stub(iter.device_type(), iter, min, max);
}
static void relu_kernel(TensorIteratorBase& iter) { cut(iter, "relu", 0, std::nullopt); }
static void hardtanh_kernel(TensorIteratorBase& iter, const Scalar& min_val,
                            const Scalar& max_val) {
  cut(iter, "hardtanh", min_val, max_val);
}

static void threshold_kernel(TensorIteratorBase& iter, const Scalar& threshold,
                             const Scalar& value) {
  numbers<Threshold>(iter, "threshold_cuda", threshold, value);
}
static void threshold_backward_kernel(TensorIteratorBase& iter, const Scalar& threshold) {
  numbers<ThresholdBackward>(iter, "threshold_cuda", threshold);
}

static void hardtanh_backward_kernel(TensorIteratorBase& iter, const Scalar& min_val,
                                     const Scalar& max_val) {
  floats<HardtanhBackward>(iter, "hardtanh_backward_cuda", min_val, max_val);
}

static void leaky_relu_kernel(TensorIteratorBase& iter, const Scalar& negative_slope) {
  floats<LeakyRelu>(iter, "leaky_relu_cuda", negative_slope);
}
static void leaky_relu_backward_kernel(TensorIteratorBase& iter, const Scalar& negative_slope,
                                       bool self_is_result) {
  check_leaky_relu_result(self_is_result, negative_slope);
  floats<LeakyReluBackward>(iter, "leaky_relu_backward_cuda", negative_slope);
}

REGISTER_CUDA_DISPATCH(relu_stub, &relu_kernel)
REGISTER_CUDA_DISPATCH(threshold_stub, &threshold_kernel)
REGISTER_CUDA_DISPATCH(threshold_backward_stub, &threshold_backward_kernel)
REGISTER_CUDA_DISPATCH(hardtanh_stub, &hardtanh_kernel)
REGISTER_CUDA_DISPATCH(hardtanh_backward_stub, &hardtanh_backward_kernel)
REGISTER_CUDA_DISPATCH(leaky_relu_stub, &leaky_relu_kernel)
REGISTER_CUDA_DISPATCH(leaky_relu_backward_stub, &leaky_relu_backward_kernel)

}  // namespace at::native
