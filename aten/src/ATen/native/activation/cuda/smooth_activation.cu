// Activations that need exp, erf or tanh on CUDA devices, and their derivatives.

#include <cmath>

#include <ATen/native/activation/activation.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/elu_backward_native.h>
#include <ATen/ops/elu_native.h>
#include <ATen/ops/gelu_backward_native.h>
#include <ATen/ops/gelu_native.h>
#include <ATen/ops/log_sigmoid_backward_native.h>
#include <ATen/ops/mish_backward_native.h>
#include <ATen/ops/mish_native.h>
#include <ATen/ops/silu_backward_native.h>
#include <ATen/ops/silu_native.h>
#include <ATen/ops/softplus_backward_native.h>
#include <ATen/ops/softplus_native.h>
#include <ATen/native/common/cuda/ComplexMath.cuh>
#include <ATen/native/common/cuda/Elementwise.cuh>
#include <ATen/native/common/cuda/TwoOutputs.cuh>

namespace at::native {
namespace {

template <typename T>
__device__ T logistic(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

template <typename T>
struct Elu {
  T negative, positive, in;
  __device__ T operator()(T x) const {
    return x < T(0) ? std::expm1(x * in) * negative : x * positive;
  }
};
template <typename T>
struct EluBackward {
  T negative, positive, in;
  __device__ T operator()(T g, T x) const {
    return x > T(0) ? g * positive : g * (in * negative) * std::exp(x * in);
  }
};
template <typename T>
struct EluBackwardOfResult {
  T negative, positive, in;
  __device__ T operator()(T g, T y) const {
    return y > T(0) ? g * positive : g * in * (y + negative);
  }
};

constexpr double kBeta = 0.79788456080286535588, kKappa = 0.044715;  // sqrt(2 / pi)

template <typename T>
struct Gelu {
  __device__ T operator()(T x) const { return x * (T(0.5) * std::erfc(x * T(-M_SQRT1_2))); }
};
// (1 + tanh y) / 2 is logistic(2y), in one exponential.
template <typename T>
struct GeluByTanh {
  __device__ T operator()(T x) const {
    return x * logistic(x * (x * x * T(kKappa) + T(1)) * T(2 * kBeta));
  }
};

// For large numbers the slope is 0 or 1, and a square or a product would overflow.
template <typename T>
__device__ T not_far_out(T x) {
  constexpr T end = T(1e4);
  return x > end ? end : x < -end ? -end : x;
}
template <typename T>
struct GeluBackward {
  __device__ T operator()(T g, T in) const {
    const T x = not_far_out(in);
    const T integral = T(0.5) * std::erfc(x * T(-M_SQRT1_2));
    return g * (integral + x * std::exp(x * x * T(-0.5)) * T(0.39894228040143267794));
  }
};
template <typename T>
struct GeluByTanhBackward {
  __device__ T operator()(T g, T in) const {
    const T x = not_far_out(in), square = x * x;
    const T s = logistic(x * T(2 * kBeta) * (square * T(kKappa) + T(1)));
    const T slope = (square * T(3 * kKappa) + T(1)) * T(2 * kBeta);
    return g * (s + x * s * (T(1) - s) * slope);
  }
};

template <typename T>
struct Silu {
  __device__ T operator()(T x) const {
    if constexpr (is_complex_v<T>) return x / (T(1) + complex_math::exp(-x));
    else return x / (T(1) + std::exp(-x));
  }
};
template <typename T>
struct SiluBackward {
  __device__ T operator()(T g, T x) const {
    T s;
    if constexpr (is_complex_v<T>) s = T(1) / (T(1) + complex_math::exp(-x));
    else s = logistic(x);
    return g * s * (x * (T(1) - s) + T(1));
  }
};

// tanh(log(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2); beyond 20 it is 1 in either precision.
template <typename T>
__device__ T tanh_softplus(T x) {
  if (x > T(20)) return T(1);
  const T e = std::exp(x), n = e * (e + T(2));
  return n / (n + T(2));
}
template <typename T>
struct Mish {
  __device__ T operator()(T x) const { return x * tanh_softplus(x); }
};
template <typename T>
struct MishBackward {
  __device__ T operator()(T g, T x) const {
    const T t = tanh_softplus(x);
    return g * (t + x * logistic(x) * (T(1) - t * t));
  }
};

template <typename T>
struct Softplus {
  T beta, threshold;
  __device__ T operator()(T x) const {
    return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
  }
};
template <typename T>
struct SoftplusBackward {
  T beta, threshold;
  __device__ T operator()(T g, T x) const {
    return x * beta > threshold ? g : g * logistic(x * beta);
  }
};
template <typename T>
struct LogSigmoid {
  __device__ T operator()(T x) const {
    return (x > T(0) ? T(0) : x) - std::log1p(std::exp(-std::abs(x)));
  }
};
template <typename T>
struct Glu {
  __device__ T operator()(T value, T gate) const { return value * logistic(gate); }
};
template <typename T>
struct GluBackward {
  __device__ Two<T, T> operator()(T g, T value, T gate) const {
    const T s = logistic(gate), to_value = g * s;
    return {to_value, to_value * (T(1) - s) * value};
  }
};
template <typename T>
struct GluJvp {
  __device__ T operator()(T glu, T gate, T to_value, T to_gate) const {
    const T s = logistic(gate);
    return to_value * s + glu * (T(1) - s) * to_gate;
  }
};
template <typename T>
struct LogSigmoidBackward {
  __device__ T operator()(T g, T x) const { return g * logistic(-x); }
};

}  // namespace

static void elu_kernel(TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale,
                       const Scalar& input_scale) {
  const double positive = scale.toDouble();
  floats<Elu>(iter, "elu_cuda", alpha.toDouble() * positive, positive, input_scale.toDouble());
}
static void elu_backward_kernel(TensorIteratorBase& iter, const Scalar& alpha, const Scalar& scale,
                                const Scalar& input_scale, bool is_result) {
  check_elu_result(is_result, alpha);
  const double positive = scale.toDouble(), negative = alpha.toDouble() * positive,
               in = input_scale.toDouble();
  if (is_result) floats<EluBackwardOfResult>(iter, "elu_backward_cuda", negative, positive, in);
  else floats<EluBackward>(iter, "elu_backward_cuda", negative, positive, in);
}

static void gelu_kernel(TensorIteratorBase& iter, std::string_view approximate) {
  if (gelu_by_tanh(approximate)) floats<GeluByTanh>(iter, "GeluCUDAKernelImpl");
  else floats<Gelu>(iter, "GeluCUDAKernelImpl");
}
static void gelu_backward_kernel(TensorIteratorBase& iter, std::string_view approximate) {
  if (gelu_by_tanh(approximate)) floats<GeluByTanhBackward>(iter, "GeluBackwardCUDAKernelImpl");
  else floats<GeluBackward>(iter, "GeluBackwardCUDAKernelImpl");
}

static void silu_kernel(TensorIteratorBase& iter) { floats_and_complexes<Silu>(iter, "silu_cuda"); }
static void silu_backward_kernel(TensorIteratorBase& iter) {
  floats_and_complexes<SiluBackward>(iter, "silu_backward_cuda");
}
static void mish_kernel(TensorIteratorBase& iter) { floats<Mish>(iter, "mish_cuda"); }
static void mish_backward_kernel(TensorIteratorBase& iter) {
  floats<MishBackward>(iter, "mish_backward_cuda");
}

static void softplus_kernel(TensorIteratorBase& iter, const Scalar& beta, const Scalar& threshold) {
  floats<Softplus>(iter, "softplus_cuda", beta.toDouble(), threshold.toDouble());
}
static void softplus_backward_kernel(TensorIteratorBase& iter, const Scalar& beta,
                                     const Scalar& threshold) {
  floats<SoftplusBackward>(iter, "softplus_backward_cuda", beta.toDouble(), threshold.toDouble());
}
static void log_sigmoid_kernel(TensorIteratorBase& iter) {
  floats<LogSigmoid>(iter, "log_sigmoid_forward_cuda");
}
static void glu_kernel(TensorIteratorBase& iter) { floats<Glu>(iter, "glu_cuda"); }
static void glu_backward_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingAndReduced>(iter.common_dtype(), "glu_backward_cuda",
                                     [&]<typename T>(TypeTag<T>) {
    gpu_kernel_with_two_outputs<TypeList<T, T, T, T, T>>(iter, GluBackward<opmath_type<T>>());
  });
}
static void glu_jvp_kernel(TensorIteratorBase& iter) { floats<GluJvp>(iter, "glu_jvp_cuda"); }
static void log_sigmoid_backward_kernel(TensorIteratorBase& iter) {
  floats<LogSigmoidBackward>(iter, "log_sigmoid_backward_cuda");
}

REGISTER_CUDA_DISPATCH(elu_stub, &elu_kernel)
REGISTER_CUDA_DISPATCH(elu_backward_stub, &elu_backward_kernel)
REGISTER_CUDA_DISPATCH(gelu_stub, &gelu_kernel)
REGISTER_CUDA_DISPATCH(gelu_backward_stub, &gelu_backward_kernel)
REGISTER_CUDA_DISPATCH(silu_stub, &silu_kernel)
REGISTER_CUDA_DISPATCH(silu_backward_stub, &silu_backward_kernel)
REGISTER_CUDA_DISPATCH(mish_stub, &mish_kernel)
REGISTER_CUDA_DISPATCH(mish_backward_stub, &mish_backward_kernel)
REGISTER_CUDA_DISPATCH(softplus_stub, &softplus_kernel)
REGISTER_CUDA_DISPATCH(softplus_backward_stub, &softplus_backward_kernel)
REGISTER_CUDA_DISPATCH(glu_stub, &glu_kernel)
REGISTER_CUDA_DISPATCH(glu_backward_stub, &glu_backward_kernel)
REGISTER_CUDA_DISPATCH(glu_jvp_stub, &glu_jvp_kernel)
REGISTER_CUDA_DISPATCH(log_sigmoid_stub, &log_sigmoid_kernel)
REGISTER_CUDA_DISPATCH(log_sigmoid_backward_stub, &log_sigmoid_backward_kernel)

}  // namespace at::native
