// erf, gamma and other special functions.

#include <cmath>

#include <ATen/native/common/cpu/ComplexBlocks.h>
#include <ATen/native/common/cpu/ComplexFunctions.h>
#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/special/cpu/erf_vectors.h>
#include <ATen/native/special/cpu/gamma_vectors.h>
#include <ATen/native/special/cpu/inverse_error.h>
#include <ATen/native/special/cpu/log_gamma_vectors.h>
#include <ATen/native/special/cpu/zeta_vectors.h>
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

}  // namespace

static void erf_kernel(TensorIteratorBase& iter) {
  if (isReducedFloatingType(iter.common_dtype()))
    return cpu_kernel_vec(iter, [](Vec<float> x) -> Vec<float> { return erf_for_half(x); });
  vectors(iter, "erf_vml_cpu", [](auto x) { return erf_of(x); });
}

static void erfc_kernel(TensorIteratorBase& iter) {
  vectors(iter, "erfc_vml_cpu", [](auto x) { return complementary_error(x); });
}

static void lgamma_kernel(TensorIteratorBase& iter) {
  vectors(iter, "lgamma_vml_cpu", [](auto x) { return log_gamma(x); });
}

static void erfinv_kernel(TensorIteratorBase& iter) {
  vectors(iter, "erfinv_vml_cpu", [](auto x) { return inverse_error(x); });
}

static void digamma_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "digamma", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> x) -> Vec<T> { return by_doubles(x, digamma<T>); },
                   kGrainSize / 32);
  });
}

static void polygamma_kernel(TensorIteratorBase& iter, int64_t n) {
  if (n == 0) return digamma_kernel(iter);
  if (n == 1) return all_types_by_doubles(iter, "polygamma", [](Doubles x) { return trigamma(x); });
  // (-1)^(n+1) n! zeta(n + 1, x)
  const double order = static_cast<double>(n) + 1;
  const double factor = (n % 2 ? 1 : -1) * std::exp(std::lgamma(order));
  all_types_by_doubles(iter, "polygamma", [n, order, factor](Doubles x) {
    return polygamma_by_zeta(n, order, factor, x);
  });
}

static void sinc_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype()))
    return complex_math_kernel<complex_math::normalized_sinc>(
        iter, "sinc_cpu", kSinc, [](auto x) { return complex_sinc(x); });
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
