// Derivatives of sigmoid and tanh from their results, and of logit, on CUDA devices.

#include <ATen/native/activation/activation_functions.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/logit_backward_native.h>
#include <ATen/ops/sigmoid_backward_native.h>
#include <ATen/ops/tanh_backward_native.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <typename T>
__device__ T conjugate(T x) {
  if constexpr (is_complex_v<T>) return T(x.real(), -x.imag());
  else return x;
}
template <typename T>
struct SigmoidBackward {
  __device__ T operator()(T g, T y) const { return g * conjugate((T(1) - y) * y); }
};
template <typename T>
struct TanhBackward {
  __device__ T operator()(T g, T y) const { return g * conjugate(T(1) - y * y); }
};

}  // namespace

static void sigmoid_backward_kernel(TensorIteratorBase& iter) {
  floats_and_complexes<SigmoidBackward>(iter, "sigmoid_backward_cuda");
}
static void tanh_backward_kernel(TensorIteratorBase& iter) {
  floats_and_complexes<TanhBackward>(iter, "tanh_backward_cuda");
}

static void logit_backward_kernel(TensorIteratorBase& iter, std::optional<double> eps) {
  dispatch_types<FloatingAndReduced>(iter.common_dtype(), "logit_backward_cuda",
                                     [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    const M low = eps ? static_cast<M>(*eps) : M(0);
    const M outside = eps ? M(0) : std::numeric_limits<M>::quiet_NaN();
    gpu_opmath_kernel<T>(iter, activation::LogitBackward<M>{low, M(1) - low, outside});
  });
}

REGISTER_CUDA_DISPATCH(sigmoid_backward_stub, &sigmoid_backward_kernel)
REGISTER_CUDA_DISPATCH(tanh_backward_stub, &tanh_backward_kernel)
REGISTER_CUDA_DISPATCH(logit_backward_stub, &logit_backward_kernel)

}  // namespace at::native
