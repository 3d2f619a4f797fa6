// pow on CUDA devices.

#include <cmath>

#include <ATen/native/binary_math/binary_functions.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/pow_native.h>
#include <ATen/native/common/cuda/ComplexMath.cuh>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <typename T>
__device__ T power(T a, T b) {
  if constexpr (std::is_integral_v<T>) return int_pow(a, static_cast<int64_t>(b));
  else if constexpr (is_complex_v<T>) return complex_math::pow(a, b);
  else return std::pow(a, b);
}

template <typename T>
struct Pow {
  __device__ T operator()(T a, T b) const { return power(a, b); }
};

template <typename T>
struct IntegerPower {
  int64_t exponent;
  __device__ T operator()(T a) const { return int_pow(a, exponent); }
};

// Exponents that products and roots compute, by number of halves; and all others. All elements take
// the same branch.
constexpr int kOtherPower = 100;
template <typename T>
struct NumberPower {
  T exponent;
  int halves;
  __device__ T operator()(T a) const {
    switch (halves) {
      case 0:
        return T(1);
      case 2:
        return a;
      case 4:
        return a * a;
      case 6:
        return a * a * a;
      case -2:
        return T(1) / a;
      case -4:
        return T(1) / (a * a);
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (halves == 1) return std::sqrt(a);
      if (halves == -1) return T(1) / std::sqrt(a);
    }
    return power(a, exponent);
  }
};

int halves_of(const Scalar& exponent, bool has_roots) {
  if (exponent.isComplex()) return kOtherPower;
  const double halves = 2 * exponent.cast<double>();
  if (halves == 1 || halves == -1) return has_roots ? static_cast<int>(halves) : kOtherPower;
  return halves >= -4 && halves <= 6 && std::fmod(halves, 2) == 0 ? static_cast<int>(halves)
                                                                  : kOtherPower;
}

using Fractions = JoinT<FloatingAndReduced, ComplexAndHalf>;

struct Truth {
  __device__ bool operator()(bool) const { return true; }
};

}  // namespace

static void pow_tensor_tensor_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.common_dtype();
  if (!isIntegralType(dtype)) return floats_and_complexes<Pow>(iter, "pow_cuda");
  dispatch_types<IntegralTypes>(dtype, "pow_cuda",
                                [&]<typename T>(TypeTag<T>) { gpu_kernel(iter, Pow<T>()); });
}

static void pow_tensor_scalar_kernel(TensorIteratorBase& iter, const Scalar& exponent) {
  const ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype, true) && exponent.equal(1)) {
    if (iter.dtype(0) == iter.dtype(1)) return copy_bits(iter);
    return gpu_kernel(iter, Same<int64_t>());
  }
  if (dtype == kBool && exponent.equal(0)) return gpu_kernel(iter, Truth());
  if (isIntegralType(dtype)) {
    return dispatch_types<IntegralTypes>(dtype, "pow_cuda", [&]<typename T>(TypeTag<T>) {
      gpu_kernel(iter, IntegerPower<T>{static_cast<int64_t>(exponent.to<T>())});
    });
  }
  dispatch_types<Fractions>(dtype, "pow_cuda", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    gpu_opmath_kernel<T>(iter,
                         NumberPower<M>{exponent.cast<M>(), halves_of(exponent, !is_complex_v<M>)});
  });
}

REGISTER_CUDA_DISPATCH(pow_tensor_tensor_stub, &pow_tensor_tensor_kernel)
REGISTER_CUDA_DISPATCH(pow_tensor_scalar_stub, &pow_tensor_scalar_kernel)

}  // namespace at::native
