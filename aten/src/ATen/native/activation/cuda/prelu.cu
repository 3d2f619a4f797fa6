// Leaky ReLU with slopes that are learned or drawn, on CUDA devices.

#include <ATen/native/activation/activation.h>
#include <ATen/native/activation/activation_functions.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/_prelu_kernel_native.h>
#include <ATen/ops/uniform_.h>
#include <ATen/native/common/cuda/Elementwise.cuh>
#include <ATen/native/common/cuda/TwoOutputs.cuh>

namespace at::native {
namespace {

template <typename T>
struct PreluBackward {
  __device__ Two<T, T> operator()(T g, T x, T weight) const {
    return x > 0 ? Two<T, T>{g, T(0)} : Two<T, T>{weight * g, x * g};
  }
};

// The slope that was drawn for the element, or 1 where it is positive; and the result.
template <typename T>
struct RandomSlope {
  __device__ Two<T, T> operator()(T x, T drawn) const {
    return x <= T(0) ? Two<T, T>{drawn, x * drawn} : Two<T, T>{T(1), x};
  }
};

}  // namespace

static void prelu_kernel(TensorIteratorBase& iter) {
  floats<activation::Prelu>(iter, "prelu_cuda");
}

static void prelu_backward_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingAndReduced>(iter.common_dtype(), "prelu_backward_cuda",
                                     [&]<typename T>(TypeTag<T>) {
    gpu_kernel_with_two_outputs<TypeList<T, T, T, T, T>>(iter, PreluBackward<opmath_type<T>>());
  });
}

static void rrelu_kernel(const Tensor& self, double lower, double upper,
                         const std::optional<Generator>& generator, const Tensor& noise,
                         const Tensor& out) {
  Tensor slopes = noise;
  at::uniform_(slopes, lower, upper, generator);
  auto iter = TensorIteratorConfig("rrelu_with_noise")
                  .add_output(noise)
                  .add_output(out)
                  .add_input(self)
                  .add_input(noise)
                  .build();
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "rrelu_with_noise_out_cuda",
                                     [&]<typename T>(TypeTag<T>) {
    gpu_kernel_with_two_outputs<TypeList<T, T, T, T>>(iter, RandomSlope<opmath_type<T>>());
  });
}

REGISTER_CUDA_DISPATCH(prelu_stub, &prelu_kernel)
REGISTER_CUDA_DISPATCH(prelu_backward_stub, &prelu_backward_kernel)
REGISTER_CUDA_DISPATCH(rrelu_stub, &rrelu_kernel)

}  // namespace at::native
