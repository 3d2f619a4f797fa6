// exp, log, sin and related functions on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
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
#include <ATen/native/common/cuda/ComplexMath.cuh>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

// A function of both kinds of numbers: `real` of x, and `complex` of x.
#define FUNCTION(Name, stub, real, complex)                                                 \
  template <typename T>                                                                     \
  struct Name {                                                                             \
    __device__ T operator()(T x) const {                                                    \
      if constexpr (is_complex_v<T>) return static_cast<T>(complex);                        \
      else return static_cast<T>(real);                                                     \
    }                                                                                       \
  };                                                                                        \
  void stub##_kernel(TensorIteratorBase& iter) { floats_and_complexes<Name>(iter, #stub); } \
  REGISTER_CUDA_DISPATCH(stub##_stub, &stub##_kernel)

FUNCTION(Exp, exp, std::exp(x), complex_math::exp(x))
FUNCTION(Exp2, exp2, std::exp2(x), complex_math::exp(x* T(M_LN2)))
FUNCTION(Expm1, expm1, std::expm1(x), complex_math::expm1(x))
FUNCTION(Log, log, std::log(x), complex_math::log(x))
FUNCTION(Log2, log2, std::log2(x), complex_math::log(x) * T(M_LOG2E))
FUNCTION(Log10, log10, std::log10(x), complex_math::log(x) * T(M_LOG10E))
FUNCTION(Log1p, log1p, std::log1p(x), complex_math::log1p(x))
FUNCTION(Sin, sin, std::sin(x), complex_math::sin(x))
FUNCTION(Cos, cos, std::cos(x), complex_math::cos(x))
FUNCTION(Tan, tan, std::tan(x), complex_math::tan(x))
FUNCTION(Asin, asin, std::asin(x), complex_math::asin(x))
FUNCTION(Acos, acos, std::acos(x), complex_math::acos(x))
FUNCTION(Atan, atan, std::atan(x), complex_math::atan(x))
FUNCTION(Sinh, sinh, std::sinh(x), complex_math::sinh(x))
FUNCTION(Cosh, cosh, std::cosh(x), complex_math::cosh(x))
FUNCTION(Tanh, tanh, std::tanh(x), complex_math::tanh(x))
FUNCTION(Asinh, asinh, std::asinh(x), complex_math::asinh(x))
FUNCTION(Acosh, acosh, std::acosh(x), complex_math::acosh(x))
FUNCTION(Atanh, atanh, std::atanh(x), complex_math::atanh(x))
FUNCTION(Sigmoid, sigmoid, T(1) / (T(1) + std::exp(-x)), T(1) / (T(1) + complex_math::exp(-x)))
FUNCTION(Sqrt, sqrt, std::sqrt(x), complex_math::sqrt(x))
FUNCTION(Rsqrt, rsqrt, T(1) / std::sqrt(x), T(1) / complex_math::sqrt(x))
FUNCTION(Reciprocal, reciprocal, T(1) / x, T(1) / x)
#undef FUNCTION

}  // namespace
}  // namespace at::native
