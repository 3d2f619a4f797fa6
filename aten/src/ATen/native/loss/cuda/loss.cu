// Elementwise losses and their derivatives on CUDA devices.

#include <cmath>

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/loss/loss.h>
#include <ATen/native/loss/loss_functions.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

// log(1 + exp(z)) = max(z, 0) + log1p(exp(-|z|)): does not overflow.
template <typename T>
__device__ T softplus(T z) {
  return (z > T(0) ? z : T(0)) + std::log1p(std::exp(-std::abs(z)));
}

template <typename T>
__device__ T bce(T x, T t) {
  C10_DEVICE_ASSERT(x >= T(0) && x <= T(1));
  C10_DEVICE_ASSERT(t >= T(0) && t <= T(1));
  constexpr T min = T(-100);
  const T a = std::log(x), b = std::log1p(-x);
  return (t - T(1)) * (b < min ? min : b) - t * (a < min ? min : a);
}

// One kernel for all losses: its elements take the same branch.
template <typename T>
struct Loss {
  LossKind kind;
  T p;
  __device__ T operator()(T x, T t) const {
    switch (kind) {
      case LossKind::mse:
        return loss::mse(x, t);
      case LossKind::smooth_l1:
        return loss::smooth_l1(x, t, p);
      case LossKind::huber:
        return loss::huber(x, t, p);
      case LossKind::soft_margin:
        return softplus(-(x * t));
      case LossKind::bce:
        return bce(x, t);
      case LossKind::bce_logits:
        return (T(1) - t) * x + softplus(-x);
    }
    return T(0);
  }
};

template <typename T>
__device__ T soft_margin_slope(T x, T t) {
  // z / (1 + z), where z may be infinite
  const T z = std::exp(-(x * t));
  return -t * (z > T(1e15) ? T(1) : z / (T(1) + z));
}

template <typename T>
struct LossBackward {
  LossKind kind;
  T p, scale;
  __device__ T operator()(T x, T t, T g) const {
    switch (kind) {
      case LossKind::mse:
        return T(2) * scale * (x - t) * g;
      case LossKind::smooth_l1:
        return scale * loss::smooth_l1_slope(x, t, p) * g;
      case LossKind::huber:
        return scale * loss::huber_slope(x, t, p) * g;
      case LossKind::soft_margin:
        return scale * soft_margin_slope(x, t) * g;
      case LossKind::bce:
        return scale * g * loss::bce_slope(x, t);
      case LossKind::bce_logits:
        break;
    }
    return T(0);
  }
};

}  // namespace

static void loss_kernel(TensorIteratorBase& iter, LossKind kind, double parameter) {
  dispatch_types<FloatingAndReduced>(iter.common_dtype(), "loss", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    gpu_opmath_kernel<T>(iter, Loss<M>{kind, static_cast<M>(parameter)});
  });
}

static void loss_backward_kernel(TensorIteratorBase& iter, LossKind kind, double parameter,
                                 double scale) {
  dispatch_types<FloatingAndReduced>(iter.common_dtype(), "loss_backward",
                                     [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    gpu_opmath_kernel<T>(iter,
                         LossBackward<M>{kind, static_cast<M>(parameter), static_cast<M>(scale)});
  });
}

REGISTER_CUDA_DISPATCH(loss_stub, &loss_kernel)
REGISTER_CUDA_DISPATCH(loss_backward_stub, &loss_backward_kernel)

}  // namespace at::native
