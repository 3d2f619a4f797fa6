// Activations made of comparisons and products: GCC vectorizes their loops.

#include <cmath>

#include <ATen/native/activation/activation.h>
#include <ATen/native/activation/activation_functions.h>
#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/ops/_prelu_kernel_native.h>
#include <ATen/ops/hardshrink_backward_native.h>
#include <ATen/ops/hardshrink_native.h>
#include <ATen/ops/hardsigmoid_backward_native.h>
#include <ATen/ops/hardsigmoid_native.h>
#include <ATen/ops/hardswish_backward_native.h>
#include <ATen/ops/hardswish_native.h>
#include <ATen/ops/hardtanh_backward_native.h>
#include <ATen/ops/hardtanh_native.h>
#include <ATen/ops/leaky_relu_backward_native.h>
#include <ATen/ops/leaky_relu_native.h>
#include <ATen/ops/relu_native.h>
#include <ATen/ops/softshrink_backward_native.h>
#include <ATen/ops/softshrink_native.h>
#include <ATen/ops/threshold_backward_native.h>
#include <ATen/ops/threshold_native.h>

namespace at::native {
namespace {

template <typename F>
void floats(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, f);
}
template <typename F>
void numbers(TensorIteratorBase& iter, const char* op, const F& f) {
  if (isIntegralType(iter.common_dtype())) {
    dispatch_types<IntegralTypes>(iter.common_dtype(), op, f);
  } else {
    dispatch_floating(iter.common_dtype(), op, f);
  }
}

}  // namespace

static void relu_kernel(TensorIteratorBase& iter) {
  numbers(iter, "relu",
          [&]<typename T>(TypeTag<T>) { cpu_kernel_halves(iter, activation::Relu<T>()); });
}

static void threshold_kernel(TensorIteratorBase& iter, const Scalar& threshold,
                             const Scalar& value) {
  numbers(iter, "threshold_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::Threshold<T>{threshold.to<T>(), value.to<T>()});
  });
}

static void threshold_backward_kernel(TensorIteratorBase& iter, const Scalar& threshold) {
  numbers(iter, "threshold_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::ThresholdBackward<T>{threshold.to<T>()});
  });
}

static void hardtanh_kernel(TensorIteratorBase& iter, const Scalar& min_val,
                            const Scalar& max_val) {
  numbers(iter, "hardtanh", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::Hardtanh<T>{min_val.to<T>(), max_val.to<T>()});
  });
}

static void hardtanh_backward_kernel(TensorIteratorBase& iter, const Scalar& min_val,
                                     const Scalar& max_val) {
  floats(iter, "hardtanh_backward_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::HardtanhBackward<T>{min_val.to<T>(), max_val.to<T>()});
  });
}

static void leaky_relu_kernel(TensorIteratorBase& iter, const Scalar& negative_slope) {
  floats(iter, "leaky_relu_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::LeakyRelu<T>{negative_slope.to<T>()});
  });
}

static void leaky_relu_backward_kernel(TensorIteratorBase& iter, const Scalar& negative_slope,
                                       bool self_is_result) {
  check_leaky_relu_result(self_is_result, negative_slope);
  floats(iter, "leaky_relu_backward_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::LeakyReluBackward<T>{negative_slope.to<T>()});
  });
}

static void hardswish_kernel(TensorIteratorBase& iter) {
  floats(iter, "hardswish_cpu",
         [&]<typename T>(TypeTag<T>) { cpu_kernel_halves(iter, activation::Hardswish<T>()); });
}

static void hardswish_backward_kernel(TensorIteratorBase& iter) {
  floats(iter, "hardswish_backward_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::HardswishBackward<T>());
  });
}

static void hardsigmoid_kernel(TensorIteratorBase& iter) {
  floats(iter, "hardsigmoid_cpu",
         [&]<typename T>(TypeTag<T>) { cpu_kernel_halves(iter, activation::Hardsigmoid<T>()); });
}

static void hardsigmoid_backward_kernel(TensorIteratorBase& iter) {
  floats(iter, "hardsigmoid_backward", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::HardsigmoidBackward<T>());
  });
}

static void hardshrink_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  floats(iter, "hardshrink_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::Hardshrink<T>{lambd.to<T>()});
  });
}

static void hardshrink_backward_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  floats(iter, "shrink_backward_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::HardshrinkBackward<T>{lambd.to<T>()});
  });
}

static void softshrink_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  floats(iter, "softshrink_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, activation::Softshrink<T>{lambd.to<T>()});
  });
}

static void prelu_kernel(TensorIteratorBase& iter) {
  floats(iter, "prelu_cpu",
         [&]<typename T>(TypeTag<T>) { cpu_kernel_rows_halves(iter, activation::Prelu<T>()); });
}

static void prelu_backward_kernel(TensorIteratorBase& iter) {
  floats(iter, "prelu_backward_cpu", [&]<typename T>(TypeTag<T>) {
    constexpr ScalarType t = CppTypeToScalarType<T>::value;
    const ScalarType types[5] = {t, t, t, t, t};
    auto loop = [](char* const* data, int64_t n) {
      T *gx = reinterpret_cast<T*>(data[0]), *gw = reinterpret_cast<T*>(data[1]);
      const T *g = reinterpret_cast<const T*>(data[2]), *x = reinterpret_cast<const T*>(data[3]),
              *w = reinterpret_cast<const T*>(data[4]);
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        bool positive = x[i] > 0;
        gx[i] = positive ? g[i] : w[i] * g[i];
        gw[i] = positive ? T(0) : x[i] * g[i];
      }
    };
    run_loop(iter, types, loop, kGrainSize);
  });
}

REGISTER_DISPATCH(relu_stub, &relu_kernel)
REGISTER_DISPATCH(threshold_stub, &threshold_kernel)
REGISTER_DISPATCH(threshold_backward_stub, &threshold_backward_kernel)
REGISTER_DISPATCH(hardtanh_stub, &hardtanh_kernel)
REGISTER_DISPATCH(hardtanh_backward_stub, &hardtanh_backward_kernel)
REGISTER_DISPATCH(leaky_relu_stub, &leaky_relu_kernel)
REGISTER_DISPATCH(leaky_relu_backward_stub, &leaky_relu_backward_kernel)
REGISTER_DISPATCH(hardswish_stub, &hardswish_kernel)
REGISTER_DISPATCH(hardswish_backward_stub, &hardswish_backward_kernel)
REGISTER_DISPATCH(hardsigmoid_stub, &hardsigmoid_kernel)
REGISTER_DISPATCH(hardsigmoid_backward_stub, &hardsigmoid_backward_kernel)
REGISTER_DISPATCH(hardshrink_stub, &hardshrink_kernel)
REGISTER_DISPATCH(hardshrink_backward_stub, &hardshrink_backward_kernel)
REGISTER_DISPATCH(softshrink_backward_stub, &hardshrink_backward_kernel)
REGISTER_DISPATCH(softshrink_stub, &softshrink_kernel)
REGISTER_DISPATCH(prelu_stub, &prelu_kernel)
REGISTER_DISPATCH(prelu_backward_stub, &prelu_backward_kernel)

}  // namespace at::native
