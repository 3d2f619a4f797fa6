// Signs, rounding and bits of single numbers on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/_conj_physical_native.h>
#include <ATen/ops/abs_native.h>
#include <ATen/ops/angle_native.h>
#include <ATen/ops/bitwise_not_native.h>
#include <ATen/ops/ceil_native.h>
#include <ATen/ops/deg2rad_native.h>
#include <ATen/ops/floor_native.h>
#include <ATen/ops/frac_native.h>
#include <ATen/ops/logical_not_native.h>
#include <ATen/ops/nan_to_num_native.h>
#include <ATen/ops/neg_native.h>
#include <ATen/ops/rad2deg_native.h>
#include <ATen/ops/round_native.h>
#include <ATen/ops/sgn_native.h>
#include <ATen/ops/sign_native.h>
#include <ATen/ops/trunc_native.h>
#include <ATen/native/common/cuda/ComplexMath.cuh>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

#define ELEMENTWISE(Name, expression)                                         \
  template <typename T>                                                       \
  struct Name {                                                               \
    __device__ T operator()(T a) const { return static_cast<T>(expression); } \
  };
ELEMENTWISE(Abs, std::abs(a))
ELEMENTWISE(Negative, -a)
ELEMENTWISE(Sign, (a > T(0)) - (a < T(0)))
ELEMENTWISE(Angle, a != a ? a : a < 0 ? T(M_PI) : T(0))
ELEMENTWISE(Floor, std::floor(a))
ELEMENTWISE(Ceil, std::ceil(a))
ELEMENTWISE(Trunc, std::trunc(a))
ELEMENTWISE(Round, std::rint(a))
ELEMENTWISE(Frac, a - std::trunc(a))
ELEMENTWISE(Deg2Rad, a* T(M_PI / 180))
ELEMENTWISE(Rad2Deg, a* T(180 / M_PI))
ELEMENTWISE(Conjugate, T(a.real(), -a.imag()))
#undef ELEMENTWISE

template <typename T>
struct ComplexSign {
  __device__ T operator()(T a) const {
    auto size = complex_math::abs(a);
    return size == 0 ? T(0) : T(a.real() / size, a.imag() / size);
  }
};
template <typename T>
struct ComplexAbs {
  __device__ typename T::value_type operator()(T a) const { return complex_math::abs(a); }
};
template <typename T>
struct ComplexAngle {
  __device__ typename T::value_type operator()(T a) const { return complex_math::arg(a); }
};
// The smallest integer stays as it is.
template <typename T>
struct IntegerAbs {
  __device__ T operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    return a < 0 ? static_cast<T>(static_cast<U>(0) - static_cast<U>(a)) : a;
  }
};
template <typename T>
struct NegativeBits {
  __device__ T operator()(T a) const { return static_cast<T>(T(0) - a); }
};
template <typename T>
struct InvertedBits {
  __device__ T operator()(T a) const { return static_cast<T>(~a); }
};

// Functions whose value of a complex number is real.
template <template <typename> class F>
void complex_to_real(TensorIteratorBase& iter, const char* op) {
  dispatch_types<ComplexAndHalf>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    gpu_kernel_with_memory<TypeList<typename T::value_type, T>>(iter, F<opmath_type<T>>());
  });
}

}  // namespace

static void abs_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.common_dtype();
  if (isComplexType(dtype)) return complex_to_real<ComplexAbs>(iter, "abs");
  if (!isIntegralType(dtype)) return floats<Abs>(iter, "abs");
  if (!isSignedType(dtype)) return copy_bits(iter);
  signed_integers<IntegerAbs>(iter, "abs");
}

static void neg_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.common_dtype();
  if (!isIntegralType(dtype)) return floats_and_complexes<Negative>(iter, "neg");
  gpu_dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) gpu_kernel_bits(iter, NegativeBits<T>());
  });
}

static void sign_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) return copy_bits(iter);
  if (isIntegralType(dtype)) return integers<Sign>(iter, "sign");
  floats<Sign>(iter, "sign");
}

static void sgn_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype())) return complexes<ComplexSign>(iter, "sgn");
  sign_kernel(iter);
}

static void conj_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype())) return complexes<Conjugate>(iter, "conj");
  copy_bits(iter);
}

static void angle_kernel(TensorIteratorBase& iter) {
  if (isComplexType(iter.common_dtype())) return complex_to_real<ComplexAngle>(iter, "angle");
  floats<Angle>(iter, "angle");
}

// --- rounding -----------------------------------------------------------------------------------

template <template <typename> class F>
static void rounding(TensorIteratorBase& iter, const char* op) {
  if (isIntegralType(iter.common_dtype())) return copy_bits(iter);
  floats<F>(iter, op);
}

static void floor_kernel(TensorIteratorBase& iter) { rounding<Floor>(iter, "floor"); }
static void ceil_kernel(TensorIteratorBase& iter) { rounding<Ceil>(iter, "ceil"); }
static void trunc_kernel(TensorIteratorBase& iter) { rounding<Trunc>(iter, "trunc"); }
static void round_kernel(TensorIteratorBase& iter) { rounding<Round>(iter, "round"); }
static void frac_kernel(TensorIteratorBase& iter) { floats<Frac>(iter, "frac"); }
static void deg2rad_kernel(TensorIteratorBase& iter) { floats<Deg2Rad>(iter, "deg2rad"); }
static void rad2deg_kernel(TensorIteratorBase& iter) { floats<Rad2Deg>(iter, "rad2deg"); }

namespace {

template <typename T>
struct RoundDecimals {
  T ten;
  T is_negative;
  __device__ T operator()(T a) const {
    return is_negative != 0 ? static_cast<T>(std::rint(a / ten)) * ten
                            : static_cast<T>(std::rint(a * ten)) / ten;
  }
};

}  // namespace

static void round_decimals_kernel(TensorIteratorBase& iter, int64_t decimals) {
  floats<RoundDecimals>(iter, "round", std::pow(10.0, std::abs(static_cast<double>(decimals))),
                        decimals < 0 ? 1.0 : 0.0);
}

namespace {

template <typename T>
constexpr T kInf = std::numeric_limits<T>::infinity();

template <typename T>
struct NanToNum {
  T nan, max, min;
  __device__ T operator()(T a) const {
    return a != a ? nan : a == kInf<T> ? max : a == -kInf<T> ? min : a;
  }
};
template <typename C>
struct ComplexNanToNum {
  NanToNum<typename C::value_type> part;
  __device__ C operator()(C a) const { return C(part(a.real()), part(a.imag())); }
};

}  // namespace

static void bitwise_not_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) return logical_not_stub(kCUDA, iter);
  if (!isIntegralType(dtype)) fail_dispatch_types("bitwise_not", dtype);
  gpu_dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
    if constexpr (std::is_integral_v<T>) gpu_kernel_bits(iter, InvertedBits<T>());
  });
}

static void nan_to_num_kernel(TensorIteratorBase& iter, std::optional<double> nan,
                              std::optional<double> posinf, std::optional<double> neginf) {
  const ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype, true)) return copy_bits(iter);
  auto values = [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    return NanToNum<M>{
        static_cast<M>(nan.value_or(0)),
        posinf ? static_cast<M>(*posinf) : static_cast<M>(std::numeric_limits<T>::max()),
        neginf ? static_cast<M>(*neginf) : static_cast<M>(std::numeric_limits<T>::lowest())};
  };
  if (isComplexType(dtype)) {
    return dispatch_types<ComplexAndHalf>(dtype, "nan_to_num", [&]<typename T>(TypeTag<T>) {
      gpu_opmath_kernel<T>(
          iter, ComplexNanToNum<opmath_type<T>>{values(TypeTag<typename T::value_type>())});
    });
  }
  dispatch_types<FloatingAndReduced>(dtype, "nan_to_num", [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel<T>(iter, values(TypeTag<T>()));
  });
}

REGISTER_CUDA_DISPATCH(abs_stub, &abs_kernel)
REGISTER_CUDA_DISPATCH(neg_stub, &neg_kernel)
REGISTER_CUDA_DISPATCH(sign_stub, &sign_kernel)
REGISTER_CUDA_DISPATCH(sgn_stub, &sgn_kernel)
REGISTER_CUDA_DISPATCH(conj_physical_stub, &conj_kernel)
REGISTER_CUDA_DISPATCH(angle_stub, &angle_kernel)
REGISTER_CUDA_DISPATCH(floor_stub, &floor_kernel)
REGISTER_CUDA_DISPATCH(ceil_stub, &ceil_kernel)
REGISTER_CUDA_DISPATCH(trunc_stub, &trunc_kernel)
REGISTER_CUDA_DISPATCH(round_stub, &round_kernel)
REGISTER_CUDA_DISPATCH(round_decimals_stub, &round_decimals_kernel)
REGISTER_CUDA_DISPATCH(frac_stub, &frac_kernel)
REGISTER_CUDA_DISPATCH(deg2rad_stub, &deg2rad_kernel)
REGISTER_CUDA_DISPATCH(rad2deg_stub, &rad2deg_kernel)
REGISTER_CUDA_DISPATCH(bitwise_not_stub, &bitwise_not_kernel)
REGISTER_CUDA_DISPATCH(nan_to_num_stub, &nan_to_num_kernel)

}  // namespace at::native
