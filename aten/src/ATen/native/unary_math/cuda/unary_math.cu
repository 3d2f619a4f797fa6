// exp, log, sqrt and related functions on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
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
#include <ATen/ops/sqrt_native.h>
#include <ATen/native/unary_math/cuda/MathFunction.cuh>

namespace at::native {
namespace {

MATH_FUNCTION(Exp, exp, std::exp(x), complex_math::exp(x))
MATH_FUNCTION(Exp2, exp2, std::exp2(x), complex_math::exp(x* T(M_LN2)))
MATH_FUNCTION(Expm1, expm1, std::expm1(x), complex_math::expm1(x))
MATH_FUNCTION(Log, log, std::log(x), complex_math::log(x))
MATH_FUNCTION(Log2, log2, std::log2(x), complex_math::log(x) * T(M_LOG2E))
MATH_FUNCTION(Log10, log10, std::log10(x), complex_math::log(x) * T(M_LOG10E))
MATH_FUNCTION(Log1p, log1p, std::log1p(x), complex_math::log1p(x))
MATH_FUNCTION(Sigmoid, sigmoid, T(1) / (T(1) + std::exp(-x)), T(1) / (T(1) + complex_math::exp(-x)))
MATH_FUNCTION(Sqrt, sqrt, std::sqrt(x), complex_math::sqrt(x))
MATH_FUNCTION(Rsqrt, rsqrt, T(1) / std::sqrt(x), T(1) / complex_math::sqrt(x))
MATH_FUNCTION(Reciprocal, reciprocal, T(1) / x, T(1) / x)

}  // namespace
}  // namespace at::native
