// where, clamp, lerp, addcmul, addcdiv on CUDA devices.

#include <ATen/native/common/cuda/Convert.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/ternary/where.h>
#include <ATen/ops/addcdiv_native.h>
#include <ATen/ops/addcmul_native.h>
#include <ATen/ops/clamp_max_native.h>
#include <ATen/ops/clamp_min_native.h>
#include <ATen/ops/clamp_native.h>
#include <ATen/ops/lerp_native.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <typename T>
struct Where {
  __device__ T operator()(bool condition, T a, T b) const { return condition ? a : b; }
};

// NaN compares false twice and passes; if the bounds cross, the upper one wins.
template <typename T>
struct Clamp {
  T low, high;
  bool is_nan;
  __device__ T operator()(T a) const {
    if (is_nan) return low;
    const T b = a < low ? low : a;
    return b > high ? high : b;
  }
};

// Computed from the nearer end, so that weight 1 gives `end` exactly.
template <typename T>
__device__ T interpolate(T a, T b, T w) {
  bool is_near;
  if constexpr (is_complex_v<T>) {
    is_near = w.real() * w.real() + w.imag() * w.imag() < typename T::value_type(0.25);
  } else {
    is_near = std::abs(w) < T(0.5);
  }
  return is_near ? a + w * (b - a) : b - (b - a) * (T(1) - w);
}
template <typename T>
struct LerpScalar {
  T weight;
  __device__ T operator()(T a, T b) const { return interpolate(a, b, weight); }
};
template <typename T>
struct Lerp {
  __device__ T operator()(T a, T b, T w) const { return interpolate(a, b, w); }
};

template <typename T>
struct AddProduct {
  T value;
  __device__ T operator()(T a, T b, T c) const { return static_cast<T>(a + value * b * c); }
};
template <typename T>
struct AddQuotient {
  T value;
  __device__ T operator()(T a, T b, T c) const { return a + value * b / c; }
};

using Fractions = JoinT<FloatingAndReduced, ComplexAndHalf>;

}  // namespace

static void where_kernel(TensorIteratorBase& iter, ScalarType dtype) {
  // Values are only moved: one kernel for each width.
  gpu_dispatch_bits(elementSize(dtype), [&]<typename Bits>(TypeTag<Bits>) {
    const ScalarType types[] = {dtype, kBool, dtype, dtype};
    ConvertedOperands operands(iter, types);
    // Numbers on the CPU, too, become bits of the type.
    alignas(16) char numbers[2][16];
    for (int k = 2; k < 4; ++k) {
      if (!iter.is_host_number(k)) continue;
      loops::store_number(iter, k, dtype, numbers[k - 2]);
      iter.operand(k).data = numbers[k - 2];
      iter.operand(k).dtype = c10::CppTypeToScalarType<Bits>::value;
    }
    gpu_kernel_bits(iter, Where<Bits>());
    operands.finish();
  });
}

static void clamp_kernel(TensorIteratorBase& iter, const std::optional<Scalar>& min,
                         const std::optional<Scalar>& max) {
  auto nan = [](const std::optional<Scalar>& s) {
    return s && s->isFloatingPoint() && std::isnan(s->toDouble());
  };
  const bool is_nan = nan(min) || nan(max);
  dispatch_types<RealTypes, UnsignedTypes>(iter.common_dtype(), "clamp",
                                           [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    using Limits = std::numeric_limits<M>;
    constexpr bool has_inf = std::is_floating_point_v<M>;
    M low = min ? min->to<M>() : has_inf ? -Limits::infinity() : Limits::lowest();
    M high = max ? max->to<M>() : has_inf ? Limits::infinity() : Limits::max();
    if (is_nan) low = Limits::quiet_NaN();
    gpu_opmath_kernel<T>(iter, Clamp<M>{low, high, is_nan});
  });
}

static void clamp_min_kernel(TensorIteratorBase& iter, const Scalar& min) {
  clamp_kernel(iter, min, std::nullopt);
}
static void clamp_max_kernel(TensorIteratorBase& iter, const Scalar& max) {
  clamp_kernel(iter, std::nullopt, max);
}

static void lerp_scalar_kernel(TensorIteratorBase& iter, const Scalar& weight) {
  dispatch_types<Fractions>(iter.common_dtype(), "lerp", [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    if constexpr (!is_complex_v<M>) weight.to<M>();  // rejects a complex weight
    gpu_opmath_kernel<T>(iter, LerpScalar<M>{weight.cast<M>()});
  });
}
static void lerp_tensor_kernel(TensorIteratorBase& iter) {
  floats_and_complexes<Lerp>(iter, "lerp");
}

static void addcmul_kernel(TensorIteratorBase& iter, const Scalar& value) {
  const ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype)) {
    // Integers wrap around: computed without a sign, in 32 bits or more.
    return dispatch_types<IntegralTypes, UnsignedTypes>(dtype, "addcmul",
                                                        [&]<typename T>(TypeTag<T>) {
      using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
      gpu_kernel_with_memory<TypeList<T, T, T, T>>(
          iter, AddProduct<U>{static_cast<U>(value.to<int64_t>())});
    });
  }
  dispatch_types<Fractions>(dtype, "addcmul", [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel<T>(iter, AddProduct<opmath_type<T>>{value.cast<opmath_type<T>>()});
  });
}
static void addcdiv_kernel(TensorIteratorBase& iter, const Scalar& value) {
  dispatch_types<Fractions>(iter.common_dtype(), "addcdiv", [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel<T>(iter, AddQuotient<opmath_type<T>>{value.cast<opmath_type<T>>()});
  });
}

REGISTER_CUDA_DISPATCH(where_stub, &where_kernel)
REGISTER_CUDA_DISPATCH(clamp_stub, &clamp_kernel)
REGISTER_CUDA_DISPATCH(clamp_min_stub, &clamp_min_kernel)
REGISTER_CUDA_DISPATCH(clamp_max_stub, &clamp_max_kernel)
REGISTER_CUDA_DISPATCH(lerp_scalar_stub, &lerp_scalar_kernel)
REGISTER_CUDA_DISPATCH(lerp_tensor_stub, &lerp_tensor_kernel)
REGISTER_CUDA_DISPATCH(addcmul_stub, &addcmul_kernel)
REGISTER_CUDA_DISPATCH(addcdiv_stub, &addcdiv_kernel)

}  // namespace at::native
