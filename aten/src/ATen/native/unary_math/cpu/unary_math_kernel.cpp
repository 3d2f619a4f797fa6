// exp, log, sin and related functions: SLEEF for real numbers, ComplexMath.h for complex ones.

#include <cmath>

#include <ATen/native/common/cpu/ComplexBlocks.h>
#include <ATen/native/common/cpu/ComplexFunctions.h>
#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/native/common/cpu/SquareRoot.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/ops/acos_native.h>
#include <ATen/ops/acosh_native.h>
#include <ATen/ops/asin_native.h>
#include <ATen/ops/asinh_native.h>
#include <ATen/ops/atan_native.h>
#include <ATen/ops/atanh_native.h>
#include <ATen/ops/cos_native.h>
#include <ATen/ops/cosh_native.h>
#include <ATen/ops/exp2_native.h>
#include <ATen/ops/exp_native.h>
#include <ATen/ops/expm1_native.h>
#include <ATen/ops/log10_native.h>
#include <ATen/ops/log1p_native.h>
#include <ATen/ops/log2_native.h>
#include <ATen/ops/log_native.h>
#include <ATen/ops/reciprocal_native.h>
#include <ATen/ops/rsqrt_native.h>
#include <ATen/ops/sigmoid_native.h>
#include <ATen/ops/sin_native.h>
#include <ATen/ops/sinh_native.h>
#include <ATen/ops/sqrt_native.h>
#include <ATen/ops/tan_native.h>
#include <ATen/ops/tanh_native.h>
#include <c10/util/complex_math.h>

namespace at::native {
namespace {

// `complex` within the limits, f on all other numbers of both kinds.
template <complex_math::Z (*complex)(complex_math::Z), typename F>
void math_kernel(TensorIteratorBase& iter, const char* op, const PartLimits& limits, const F& f) {
  if (isComplexType(iter.common_dtype())) return complex_math_kernel<complex>(iter, op, limits, f);
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec_halves(iter, [f](Vec<T> a) -> Vec<T> { return f(a); });
  });
}

// The same, with another function for half types, which need fewer digits.
template <complex_math::Z (*complex)(complex_math::Z), typename F, typename G>
void math_kernel(TensorIteratorBase& iter, const char* op, const PartLimits& limits, const F& f,
                 const G& for_halves) {
  if (isComplexType(iter.common_dtype())) return complex_math_kernel<complex>(iter, op, limits, f);
  const auto halves = [for_halves](Vec<float> a) -> Vec<float> { return for_halves(a); };
  if (run_halves<Rows::no>(iter, halves, kGrainSize / 4)) return;
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [f](Vec<T> a) -> Vec<T> { return f(a); });
  });
}

// f on plain numbers, for loops that GCC vectorizes.
template <typename F>
void plain_kernel(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, [f](T a) -> T { return f(a); });
  });
}

}  // namespace

static void exp_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::exp>(iter, "exp_vml_cpu", kExponential, [](auto x) { return exp(x); });
}

static void expm1_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::expm1>(iter, "expm1_vml_cpu", kExponential,
                                   [](auto x) { return expm1(x); });
}

static void log_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::log>(iter, "log_vml_cpu", kAlgebraic, [](auto x) { return log(x); });
}

static void log2_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::log2>(iter, "log2_vml_cpu", kAlgebraic, [](auto x) { return log2(x); });
}

static void log10_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::log10>(iter, "log10_vml_cpu", kAlgebraic,
                                   [](auto x) { return log10(x); });
}

static void log1p_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::log1p>(iter, "log1p_vml_cpu", kAlgebraic,
                                   [](auto x) { return log1p(x); });
}

static void sin_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::sin>(iter, "sin_vml_cpu", kTurnedExponential, [](auto x) {
    return sin(x);
  }, [](auto x) { return for_halves::sin(x); });
}

static void cos_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::cos>(iter, "cos_vml_cpu", kTurnedExponential, [](auto x) {
    return cos(x);
  }, [](auto x) { return for_halves::cos(x); });
}

static void tan_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::tan>(iter, "tan_vml_cpu", kTurnedExponential, [](auto x) {
    return tan(x);
  }, [](auto x) { return for_halves::tan(x); });
}

static void asin_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::asin>(iter, "asin_vml_cpu", kAlgebraic, [](auto x) { return asin(x); });
}

static void acos_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::acos>(iter, "acos_vml_cpu", kAlgebraic, [](auto x) { return acos(x); });
}

static void atan_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::atan>(iter, "atan_vml_cpu", kAlgebraic, [](auto x) { return atan(x); });
}

static void sinh_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::sinh>(iter, "sinh_cpu", kExponential, [](auto x) { return sinh(x); });
}

static void cosh_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::cosh>(iter, "cosh_cpu", kExponential, [](auto x) { return cosh(x); });
}

static void tanh_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::tanh>(iter, "tanh_vml_cpu", kExponential,
                                  [](auto x) { return tanh(x); });
}

static void asinh_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::asinh>(iter, "asinh_cpu", kAlgebraic, [](auto x) { return asinh(x); });
}

static void acosh_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::acosh>(iter, "acosh_cpu", kAlgebraic, [](auto x) { return acosh(x); });
}

static void atanh_kernel(TensorIteratorBase& iter) {
  math_kernel<complex_math::atanh>(iter, "atanh_cpu", kAlgebraic, [](auto x) { return atanh(x); });
}

static void exp2_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype()))
    return complex_math_kernel<complex_math::exp2>(iter, "exp2", kPowerOfTwo,
                                                   [](auto x) { return complex_exp2(x); });
  dispatch_floating(iter.common_dtype(), "exp2", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec_halves(iter, [](Vec<T> a) -> Vec<T> { return exp2(a); });
  });
}

static void sigmoid_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype()))
    return complex_math_kernel<complex_math::logistic>(iter, "sigmoid_cpu", kExponential,
                                                       [](auto x) { return complex_logistic(x); });
  dispatch_floating(iter.common_dtype(), "sigmoid_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec_halves(iter, [](Vec<T> a) -> Vec<T> { return logistic(a); });
  });
}

static void sqrt_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype()))
    return complex_math_kernel<complex_math::sqrt>(iter, "sqrt_vml_cpu", kAlgebraic,
                                                   [](auto x) { return c10::sqrt(x); });
  if (iter.common_dtype() == kDouble)
    return cpu_kernel_vec(iter, [](Vec<double> x) -> Vec<double> { return quick_sqrt(x); });
  plain_kernel(iter, "sqrt_vml_cpu", [](auto x) { return std::sqrt(x); });
}

static void rsqrt_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype()))
    return complex_math_kernel<complex_math::rsqrt>(
        iter, "rsqrt_cpu", kNonzero, [](auto x) { return decltype(x)(1) / c10::sqrt(x); });
  plain_kernel(iter, "rsqrt_cpu", [](auto x) { return decltype(x)(1) / std::sqrt(x); });
}

static void reciprocal_kernel(TensorIteratorBase& iter) {
  const auto inverse = [](auto x) { return decltype(x)(1) / x; };
  if (!isComplexType(iter.common_dtype())) return plain_kernel(iter, "reciprocal_cpu", inverse);
  dispatch_complex(iter.common_dtype(), "reciprocal_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [inverse](T a) -> T { return inverse(a); }, kGrainSize / 16);
  });
}

REGISTER_DISPATCH(exp_stub, &exp_kernel)
REGISTER_DISPATCH(exp2_stub, &exp2_kernel)
REGISTER_DISPATCH(expm1_stub, &expm1_kernel)
REGISTER_DISPATCH(log_stub, &log_kernel)
REGISTER_DISPATCH(log2_stub, &log2_kernel)
REGISTER_DISPATCH(log10_stub, &log10_kernel)
REGISTER_DISPATCH(log1p_stub, &log1p_kernel)
REGISTER_DISPATCH(sin_stub, &sin_kernel)
REGISTER_DISPATCH(cos_stub, &cos_kernel)
REGISTER_DISPATCH(tan_stub, &tan_kernel)
REGISTER_DISPATCH(asin_stub, &asin_kernel)
REGISTER_DISPATCH(acos_stub, &acos_kernel)
REGISTER_DISPATCH(atan_stub, &atan_kernel)
REGISTER_DISPATCH(sinh_stub, &sinh_kernel)
REGISTER_DISPATCH(cosh_stub, &cosh_kernel)
REGISTER_DISPATCH(tanh_stub, &tanh_kernel)
REGISTER_DISPATCH(asinh_stub, &asinh_kernel)
REGISTER_DISPATCH(acosh_stub, &acosh_kernel)
REGISTER_DISPATCH(atanh_stub, &atanh_kernel)
REGISTER_DISPATCH(sigmoid_stub, &sigmoid_kernel)
REGISTER_DISPATCH(sqrt_stub, &sqrt_kernel)
REGISTER_DISPATCH(rsqrt_stub, &rsqrt_kernel)
REGISTER_DISPATCH(reciprocal_stub, &reciprocal_kernel)

}  // namespace at::native
