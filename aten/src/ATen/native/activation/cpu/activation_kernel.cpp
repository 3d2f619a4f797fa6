// Activations made of comparisons and products: GCC vectorizes their loops.

#include <cmath>

#include <ATen/native/activation/activation.h>
#include <ATen/native/common/cpu/Loops.h>
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
  numbers(iter, "relu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T x) -> T { return x < T(0) ? T(0) : x; });
  });
}

static void threshold_kernel(TensorIteratorBase& iter, const Scalar& threshold,
                             const Scalar& value) {
  numbers(iter, "threshold_cpu", [&]<typename T>(TypeTag<T>) {
    const T t = threshold.to<T>(), v = value.to<T>();
    cpu_kernel(iter, [t, v](T x) -> T { return x <= t ? v : x; });
  });
}

static void threshold_backward_kernel(TensorIteratorBase& iter, const Scalar& threshold) {
  numbers(iter, "threshold_cpu", [&]<typename T>(TypeTag<T>) {
    const T t = threshold.to<T>();
    cpu_kernel(iter, [t](T g, T x) -> T { return x <= t ? T(0) : g; });
  });
}

static void hardtanh_kernel(TensorIteratorBase& iter, const Scalar& min_val,
                            const Scalar& max_val) {
  numbers(iter, "hardtanh", [&]<typename T>(TypeTag<T>) {
    const T low = min_val.to<T>(), high = max_val.to<T>();
    cpu_kernel(iter, [low, high](T x) -> T { return x < low ? low : x > high ? high : x; });
  });
}

static void hardtanh_backward_kernel(TensorIteratorBase& iter, const Scalar& min_val,
                                     const Scalar& max_val) {
  floats(iter, "hardtanh_backward_cpu", [&]<typename T>(TypeTag<T>) {
    const T low = min_val.to<T>(), high = max_val.to<T>();
    cpu_kernel(iter, [low, high](T g, T x) -> T { return (x <= low) | (x >= high) ? T(0) : g; });
  });
}

static void leaky_relu_kernel(TensorIteratorBase& iter, const Scalar& negative_slope) {
  floats(iter, "leaky_relu_cpu", [&]<typename T>(TypeTag<T>) {
    const T slope = negative_slope.to<T>();
    cpu_kernel(iter, [slope](T x) -> T { return x > 0 ? x : x * slope; });
  });
}

static void leaky_relu_backward_kernel(TensorIteratorBase& iter, const Scalar& negative_slope,
                                       bool self_is_result) {
  TORCH_CHECK(!self_is_result || negative_slope.toDouble() >= 0,
              "leaky_relu_backward: In-place leakyReLu backward calculation is triggered with a "
              "negative slope which is not supported, got ",
              negative_slope.toDouble());
  floats(iter, "leaky_relu_backward_cpu", [&]<typename T>(TypeTag<T>) {
    const T slope = negative_slope.to<T>();
    cpu_kernel(iter, [slope](T g, T x) -> T { return x > 0 ? g : g * slope; });
  });
}

static void hardswish_kernel(TensorIteratorBase& iter) {
  floats(iter, "hardswish_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T x) -> T {
      T y = x + T(3);
      y = y < T(0) ? T(0) : y > T(6) ? T(6) : y;
      return x * y / T(6);
    });
  });
}

static void hardswish_backward_kernel(TensorIteratorBase& iter) {
  floats(iter, "hardswish_backward_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T g, T x) -> T {
      return x <= T(-3) ? T(0) : x >= T(3) ? g : g * (x / T(3) + T(0.5));
    });
  });
}

static void hardsigmoid_kernel(TensorIteratorBase& iter) {
  floats(iter, "hardsigmoid_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T x) -> T {
      T y = x + T(3);
      y = y < T(0) ? T(0) : y > T(6) ? T(6) : y;
      return y / T(6);
    });
  });
}

static void hardsigmoid_backward_kernel(TensorIteratorBase& iter) {
  floats(iter, "hardsigmoid_backward", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter,
               [](T g, T x) -> T { return (x > T(-3)) & (x < T(3)) ? g * T(1.0 / 6) : T(0); });
  });
}

static void hardshrink_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  floats(iter, "hardshrink_cpu", [&]<typename T>(TypeTag<T>) {
    const T l = lambd.to<T>();
    cpu_kernel(iter, [l](T x) -> T { return (x >= -l) & (x <= l) ? T(0) : x; });
  });
}

// Also used by softshrink: both pass the gradient outside of [-lambd, lambd].
static void hardshrink_backward_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  floats(iter, "shrink_backward_cpu", [&]<typename T>(TypeTag<T>) {
    const T l = lambd.to<T>();
    cpu_kernel(iter, [l](T g, T x) -> T { return (x >= -l) & (x <= l) ? T(0) : g; });
  });
}

static void softshrink_kernel(TensorIteratorBase& iter, const Scalar& lambd) {
  floats(iter, "softshrink_cpu", [&]<typename T>(TypeTag<T>) {
    const T l = lambd.to<T>();
    // x * 0 rather than 0, so that NaN stays NaN.
    cpu_kernel(iter, [l](T x) -> T { return x > l ? x - l : x < -l ? x + l : x * T(0); });
  });
}

static void prelu_kernel(TensorIteratorBase& iter) {
  floats(iter, "prelu_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T x, T w) -> T { return x > 0 ? x : x * w; });
  });
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
