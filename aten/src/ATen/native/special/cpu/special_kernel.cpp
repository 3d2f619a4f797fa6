// erf, gamma and other special functions.

#include <cmath>

#include <ATen/native/common/cpu/ComplexFunctions.h>
#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/special/SpecialFunctions.h>
#include <ATen/native/special/cpu/inverse_error.h>
#include <ATen/ops/digamma_native.h>
#include <ATen/ops/erf_native.h>
#include <ATen/ops/erfc_native.h>
#include <ATen/ops/erfinv_native.h>
#include <ATen/ops/lgamma_native.h>
#include <ATen/ops/logit_native.h>
#include <ATen/ops/polygamma_native.h>
#include <ATen/ops/sinc_native.h>
#include <c10/util/complex_math.h>

namespace at::native {
namespace {

template <typename F>
void vectors(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [f](Vec<T> a) -> Vec<T> { return f(a); });
  });
}

// Expensive functions, computed in double one by one.
template <typename F>
void doubles(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [f](T a) -> T { return static_cast<T>(f(static_cast<double>(a))); },
               kGrainSize / 32);
  });
}

}  // namespace

static void erf_kernel(TensorIteratorBase& iter) {
  vectors(iter, "erf_vml_cpu", [](auto x) { return error_function(x); });
}

static void erfc_kernel(TensorIteratorBase& iter) {
  vectors(iter, "erfc_vml_cpu", [](auto x) { return complementary_error(x); });
}

static void lgamma_kernel(TensorIteratorBase& iter) {
  vectors(iter, "lgamma_vml_cpu", [](auto x) { return lgamma(x); });
}

static void erfinv_kernel(TensorIteratorBase& iter) {
  vectors(iter, "erfinv_vml_cpu", [](auto x) { return inverse_error(x); });
}

static void digamma_kernel(TensorIteratorBase& iter) {
  doubles(iter, "digamma", [](double x) { return digamma(x); });
}

static void polygamma_kernel(TensorIteratorBase& iter, int64_t n) {
  dispatch_floating(iter.common_dtype(), "polygamma", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [n](T x) -> T {
      return static_cast<T>(polygamma<T>(n, static_cast<double>(x)));
    }, kGrainSize / 32);
  });
}

static void sinc_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype())) {
    dispatch_complex(iter.common_dtype(), "sinc_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a) -> T { return complex_sinc(a); });
    });
    return;
  }
  vectors(iter, "sinc_cpu", [](auto a) { return normalized_sinc(a); });
}

static void logit_kernel(TensorIteratorBase& iter, std::optional<double> eps) {
  dispatch_floating(iter.common_dtype(), "logit_cpu", [&]<typename T>(TypeTag<T>) {
    if (!eps) return cpu_kernel_vec(iter, [](Vec<T> x) -> Vec<T> { return log_odds(x); });
    const T low = static_cast<T>(*eps), high = T(1) - low;
    cpu_kernel_vec(iter, [low, high](Vec<T> x) -> Vec<T> {
      return log_odds(Vec<T>(where(x < low, low, where(x > high, high, x))));
    });
  });
}

REGISTER_DISPATCH(erf_stub, &erf_kernel)
REGISTER_DISPATCH(erfc_stub, &erfc_kernel)
REGISTER_DISPATCH(erfinv_stub, &erfinv_kernel)
REGISTER_DISPATCH(lgamma_stub, &lgamma_kernel)
REGISTER_DISPATCH(digamma_stub, &digamma_kernel)
REGISTER_DISPATCH(polygamma_stub, &polygamma_kernel)
REGISTER_DISPATCH(sinc_stub, &sinc_kernel)
REGISTER_DISPATCH(logit_stub, &logit_kernel)

}  // namespace at::native
