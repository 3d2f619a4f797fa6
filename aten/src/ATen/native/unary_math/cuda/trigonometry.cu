// sin, cosh, atan and related functions on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/acos_native.h>
#include <ATen/ops/acosh_native.h>
#include <ATen/ops/asin_native.h>
#include <ATen/ops/asinh_native.h>
#include <ATen/ops/atan_native.h>
#include <ATen/ops/atanh_native.h>
#include <ATen/ops/cos_native.h>
#include <ATen/ops/cosh_native.h>
#include <ATen/ops/sin_native.h>
#include <ATen/ops/sinh_native.h>
#include <ATen/ops/tan_native.h>
#include <ATen/ops/tanh_native.h>
#include <ATen/native/unary_math/cuda/MathFunction.cuh>

namespace at::native {
namespace {

MATH_FUNCTION(Sin, sin, std::sin(x), complex_math::sin(x))
MATH_FUNCTION(Cos, cos, std::cos(x), complex_math::cos(x))
MATH_FUNCTION(Tan, tan, std::tan(x), complex_math::tan(x))
MATH_FUNCTION(Asin, asin, std::asin(x), complex_math::asin(x))
MATH_FUNCTION(Acos, acos, std::acos(x), complex_math::acos(x))
MATH_FUNCTION(Atan, atan, std::atan(x), complex_math::atan(x))
MATH_FUNCTION(Sinh, sinh, std::sinh(x), complex_math::sinh(x))
MATH_FUNCTION(Cosh, cosh, std::cosh(x), complex_math::cosh(x))
MATH_FUNCTION(Tanh, tanh, std::tanh(x), complex_math::tanh(x))
MATH_FUNCTION(Asinh, asinh, std::asinh(x), complex_math::asinh(x))
MATH_FUNCTION(Acosh, acosh, std::acosh(x), complex_math::acosh(x))
MATH_FUNCTION(Atanh, atanh, std::atanh(x), complex_math::atanh(x))

}  // namespace
}  // namespace at::native
