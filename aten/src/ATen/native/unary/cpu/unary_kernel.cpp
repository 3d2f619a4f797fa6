// Signs, rounding, and predicates of single numbers.

#include <cmath>
#include <cstring>

#include <ATen/native/common/Float8.h>
#include <ATen/native/common/UnsignedOfSize.h>
#include <ATen/native/common/cpu/ComplexLoops.h>
#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/native/common/cpu/Hypot.h>
#include <ATen/ops/_conj_physical_native.h>
#include <ATen/ops/abs_native.h>
#include <ATen/ops/angle_native.h>
#include <ATen/ops/bitwise_not_native.h>
#include <ATen/ops/ceil_native.h>
#include <ATen/ops/deg2rad_native.h>
#include <ATen/ops/floor_native.h>
#include <ATen/ops/frac_native.h>
#include <ATen/ops/isfinite_native.h>
#include <ATen/ops/isinf_native.h>
#include <ATen/ops/isnan_native.h>
#include <ATen/ops/isneginf_native.h>
#include <ATen/ops/isposinf_native.h>
#include <ATen/ops/logical_not_native.h>
#include <ATen/ops/nan_to_num_native.h>
#include <ATen/ops/neg_native.h>
#include <ATen/ops/rad2deg_native.h>
#include <ATen/ops/round_native.h>
#include <ATen/ops/sgn_native.h>
#include <ATen/ops/sign_native.h>
#include <ATen/ops/signbit_native.h>
#include <ATen/ops/trunc_native.h>
#include <c10/util/complex_math.h>

namespace at::native {
namespace {

template <typename F>
void floats(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [f](T a) -> T { return f(a); });
  });
}

// The same for functions as cheap as a product, which halves do not leave registers for.
template <typename F>
void floats_and_halves(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_halves(iter, [f](T a) -> T { return f(a); });
  });
}

// Copies elements: for integers, which are whole, finite and their own conjugates.
void copy_bits(TensorIteratorBase& iter) {
  dispatch_bits(elementSize(iter.common_dtype()),
                [&]<typename T>(TypeTag<T>) { cpu_kernel_bits(iter, [](T a) -> T { return a; }); });
}

// Half types as 16-bit integers: a sign needs no conversion.
constexpr int kHalfSign = 0x8000;
bool has_half_bits(ScalarType dtype) { return dtype == kHalf || dtype == kBFloat16; }

}  // namespace

static void abs_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isComplexType(dtype)) {
    dispatch_complex(dtype, "abs_cpu", [&]<typename T>(TypeTag<T>) {
      using R = typename T::value_type;
      cpu_kernel_parts<R>(iter, [](Vec<R> re, Vec<R> im) { return inline_hypot(re, im); });
    });
  } else if (isIntegralType(dtype)) {
    if (!isSignedType(dtype)) return copy_bits(iter);
    dispatch_types<TypeList<int8_t, int16_t, int32_t, int64_t>>(dtype, "abs_cpu",
                                                                [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a) -> T {
        return a < 0 ? static_cast<T>(std::make_unsigned_t<T>(0) -
                                      static_cast<std::make_unsigned_t<T>>(a))
                     : a;
      });
    });
  } else if (has_half_bits(dtype)) {
    cpu_kernel_bits(iter, [](uint16_t a) -> uint16_t { return a & ~kHalfSign; });
  } else if (is_signed_float8(dtype)) {
    cpu_kernel(iter, [](float a) -> float { return std::abs(a); });
  } else {
    floats(iter, "abs_cpu", [](auto a) { return std::abs(a); });
  }
}

static void neg_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isComplexType(dtype)) {
    dispatch_complex(dtype, "neg_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a) -> T { return -a; });
    });
  } else if (isIntegralType(dtype)) {
    dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
      cpu_kernel_bits(iter, [](T a) -> T { return static_cast<T>(0u - a); });
    });
  } else if (has_half_bits(dtype)) {
    cpu_kernel_bits(iter, [](uint16_t a) -> uint16_t { return a ^ kHalfSign; });
  } else {
    floats(iter, "neg_cpu", [](auto a) { return -a; });
  }
}

static void sign_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) return copy_bits(iter);
  if (isIntegralType(dtype)) {
    dispatch_integral(dtype, "sign_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a) -> T { return static_cast<T>((a > 0) - (a < T(0))); });
    });
  } else {
    floats_and_halves(iter, "sign_cpu", [](auto a) {
      using T = decltype(a);
      return (a > 0 ? T(1) : T(0)) - (a < 0 ? T(1) : T(0));
    });
  }
}

static void sgn_kernel(TensorIteratorBase& iter) {
  if (!isComplexType(iter.common_dtype())) return sign_kernel(iter);
  dispatch_complex(iter.common_dtype(), "sgn_cpu", [&]<typename T>(TypeTag<T>) {
    using R = typename T::value_type;
    cpu_kernel_parts<R>(iter, [](Vec<R> re, Vec<R> im) -> ComplexVec<R> {
      const Vec<R> size = inline_hypot(re, im), zero(R(0));
      return {where(size == zero, zero, re / size), where(size == zero, zero, im / size)};
    });
  });
}

static void conj_kernel(TensorIteratorBase& iter) {
  if (!isComplexType(iter.common_dtype())) return copy_bits(iter);
  dispatch_complex(iter.common_dtype(), "conj_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a) -> T { return T(a.real(), -a.imag()); });
  });
}

static void angle_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isComplexType(dtype)) {
    dispatch_complex(dtype, "angle_cpu", [&]<typename T>(TypeTag<T>) {
      using R = typename T::value_type;
      cpu_kernel_parts<R>(iter, [](Vec<R> re, Vec<R> im) { return atan2(im, re); });
    });
  } else {
    floats_and_halves(iter, "angle_cpu", [](auto a) {
      using T = decltype(a);
      return a != a ? a : a < 0 ? T(M_PI) : T(0);
    });
  }
}

namespace {

// --- rounding -----------------------------------------------------------------------------------

template <typename F>
void rounding(TensorIteratorBase& iter, const char* op, const F& f) {
  if (isIntegralType(iter.common_dtype())) return copy_bits(iter);
  floats_and_halves(iter, op, f);
}

}  // namespace

static void floor_kernel(TensorIteratorBase& iter) {
  rounding(iter, "floor_vml_cpu", [](auto a) { return std::floor(a); });
}

static void ceil_kernel(TensorIteratorBase& iter) {
  rounding(iter, "ceil_vml_cpu", [](auto a) { return std::ceil(a); });
}

static void trunc_kernel(TensorIteratorBase& iter) {
  rounding(iter, "trunc_vml_cpu", [](auto a) { return std::trunc(a); });
}

// Halves round to even numbers.
static void round_kernel(TensorIteratorBase& iter) {
  rounding(iter, "round_vml_cpu", [](auto a) { return __builtin_rint(a); });
}

static void frac_kernel(TensorIteratorBase& iter) {
  floats_and_halves(iter, "frac_cpu", [](auto a) { return a - std::trunc(a); });
}

static void round_decimals_kernel(TensorIteratorBase& iter, int64_t decimals) {
  dispatch_floating(iter.common_dtype(), "round_cpu", [&]<typename T>(TypeTag<T>) {
    const T ten = static_cast<T>(std::pow(10.0, std::abs(static_cast<double>(decimals))));
    if (decimals < 0) {
      cpu_kernel(iter, [ten](T a) -> T { return static_cast<T>(__builtin_rint(a / ten)) * ten; });
    } else {
      cpu_kernel(iter, [ten](T a) -> T { return static_cast<T>(__builtin_rint(a * ten)) / ten; });
    }
  });
}

static void deg2rad_kernel(TensorIteratorBase& iter) {
  floats_and_halves(iter, "deg2rad", [](auto a) { return a * decltype(a)(M_PI / 180); });
}

static void rad2deg_kernel(TensorIteratorBase& iter) {
  floats_and_halves(iter, "rad2deg", [](auto a) { return a * decltype(a)(180 / M_PI); });
}

namespace {

// --- predicates ---------------------------------------------------------------------------------

// f of a float; for a complex number, combines the results of `f` for both parts. The result for
// all integers is `integer`.
template <typename F, typename J>
void question(TensorIteratorBase& iter, const char* op, bool integer, const F& f, const J& join) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype, true)) {
    if (iter.dtype(0) != kBool)
      return cpu_kernel(iter, [integer](uint8_t) -> bool { return integer; });
    // The input is not read.
    iter.for_each([integer](char** data, const int64_t* strides, int64_t n0, int64_t n1) {
      for (int64_t j = 0; j < n1; ++j) {
        char* to = data[0] + j * strides[2];
        if (strides[0] == 1) std::memset(to, integer, static_cast<size_t>(n0));
        else
          for (int64_t i = 0; i < n0; ++i) to[i * strides[0]] = integer;
      }
    }, kGrainSize);
  } else if (isComplexType(dtype)) {
    dispatch_complex(dtype, op, [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [f, join](T a) -> bool { return join(f(a.real()), f(a.imag())); });
    });
  } else {
    dispatch_floating(isFloat8Type(dtype) ? kFloat : dtype, op, [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [f](T a) -> bool { return f(a); });
    });
  }
}

constexpr auto either = [](bool a, bool b) { return a | b; };
constexpr auto both = [](bool a, bool b) { return a & b; };

template <typename T>
constexpr T kInf = std::numeric_limits<T>::infinity();

}  // namespace

static void isnan_kernel(TensorIteratorBase& iter) {
  question(iter, "isnan", false, [](auto a) { return a != a; }, either);
}

static void isinf_kernel(TensorIteratorBase& iter) {
  question(iter, "isinf", false, [](auto a) { return std::abs(a) == kInf<decltype(a)>; }, either);
}

static void isfinite_kernel(TensorIteratorBase& iter) {
  question(iter, "isfinite", true, [](auto a) { return std::abs(a) < kInf<decltype(a)>; }, both);
}

static void isposinf_kernel(TensorIteratorBase& iter) {
  question(iter, "isposinf", false, [](auto a) { return a == kInf<decltype(a)>; }, either);
}

static void isneginf_kernel(TensorIteratorBase& iter) {
  question(iter, "isneginf", false, [](auto a) { return a == -kInf<decltype(a)>; }, either);
}

// f of each element's bits, read as a signed integer of the element's width.
template <typename F>
static void question_of_bits(TensorIteratorBase& iter, ScalarType dtype, const F& f) {
  dispatch_bits(elementSize(dtype), [&]<typename B>(TypeTag<B>) {
    using T = std::make_signed_t<B>;
    auto loop = [f](char* const* data, int64_t n) {
      scalar_loop<bool>([f](T a) { return f(a); }, data, n, static_cast<std::tuple<T>*>(nullptr),
                        std::make_index_sequence<1>());
    };
    run_loop(iter, {kBool, dtype}, loop, kGrainSize);
  });
}

static void signbit_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.dtype(1);
  const bool has_sign = isIntegralType(dtype)
                            ? isSignedType(dtype)
                            : dtype == kDouble || dtype == kFloat || isReducedFloatingType(dtype);
  if (has_sign) return question_of_bits(iter, dtype, [](auto a) { return a < 0; });
  question(iter, "signbit", false, [](auto a) { return std::signbit(a); }, either);
}

static void logical_not_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.dtype(1);
  if (isIntegralType(dtype)) return question_of_bits(iter, dtype, [](auto a) { return a == 0; });
  if (dtype == kDouble) return cpu_kernel(iter, [](double a) -> bool { return a == 0; });
  if (dtype == kFloat || isReducedFloatingType(dtype))
    return cpu_kernel(iter, [](float a) -> bool { return a == 0; });
  cpu_kernel(iter, [](bool a) -> bool { return !a; });
}

static void bitwise_not_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) return logical_not_kernel(iter);
  if (!isIntegralType(dtype)) fail_dispatch_types("bitwise_not_cpu", dtype);
  dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
    cpu_kernel_bits(iter, [](T a) -> T { return static_cast<T>(~a); });
  });
}

namespace {

// The bits of a type of floating-point numbers without their sign, and of what takes the places of
// special values.
template <typename Bits>
struct FiniteBits {
  Bits infinity, nan, max, min;

  // Complex numbers have two parts. Numbers without sign compare as integers.
  void replace_in(TensorIteratorBase& iter, int64_t parts) const {
    auto loop = [parts, mine = *this](char* const* data, int64_t n) {
      constexpr Bits kSign = std::numeric_limits<Bits>::min();
      Bits* out = reinterpret_cast<Bits*>(data[0]);
      const Bits* in = reinterpret_cast<const Bits*>(data[1]);
      const auto [infinity, nan, max, min] = mine;
#pragma GCC ivdep
      for (int64_t i = 0; i < n * parts; ++i) {
        const Bits a = in[i], size = static_cast<Bits>(a & ~kSign);
        const Bits b = a < 0 ? min : max, c = size == infinity ? b : a;
        out[i] = size > infinity ? nan : c;
      }
    };
    const ScalarType types[2] = {iter.common_dtype(), iter.common_dtype()};
    run_loop(iter, types, loop, kGrainSize);
  }
};

template <typename T>
void nan_to_num_typed(TensorIteratorBase& iter, std::optional<double> nan,
                      std::optional<double> posinf, std::optional<double> neginf) {
  using Bits = std::make_signed_t<UnsignedOfSize<sizeof(T)>>;
  using Limits = std::numeric_limits<T>;
  const auto bits = [](T x) { return __builtin_bit_cast(Bits, x); };
  const auto bits_of = [&](std::optional<double> x, T other) {
    return bits(x ? static_cast<T>(*x) : other);
  };
  const FiniteBits<Bits> finite{bits(Limits::infinity()), bits_of(nan, T(0)),
                                bits_of(posinf, Limits::max()), bits_of(neginf, Limits::lowest())};
  finite.replace_in(iter, isComplexType(iter.common_dtype()) ? 2 : 1);
}

}  // namespace

static void nan_to_num_kernel(TensorIteratorBase& iter, std::optional<double> nan,
                              std::optional<double> posinf, std::optional<double> neginf) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype, true)) return copy_bits(iter);
  switch (dtype) {
    case kFloat:
    case kComplexFloat:
      return nan_to_num_typed<float>(iter, nan, posinf, neginf);
    case kDouble:
    case kComplexDouble:
      return nan_to_num_typed<double>(iter, nan, posinf, neginf);
    case kHalf:
    case kComplexHalf:
      return nan_to_num_typed<c10::Half>(iter, nan, posinf, neginf);
    case kBFloat16:
      return nan_to_num_typed<c10::BFloat16>(iter, nan, posinf, neginf);
    default:
      fail_dispatch_types("nan_to_num", dtype);
  }
}

REGISTER_DISPATCH(abs_stub, &abs_kernel)
REGISTER_DISPATCH(neg_stub, &neg_kernel)
REGISTER_DISPATCH(sign_stub, &sign_kernel)
REGISTER_DISPATCH(sgn_stub, &sgn_kernel)
REGISTER_DISPATCH(conj_physical_stub, &conj_kernel)
REGISTER_DISPATCH(angle_stub, &angle_kernel)
REGISTER_DISPATCH(floor_stub, &floor_kernel)
REGISTER_DISPATCH(ceil_stub, &ceil_kernel)
REGISTER_DISPATCH(trunc_stub, &trunc_kernel)
REGISTER_DISPATCH(round_stub, &round_kernel)
REGISTER_DISPATCH(round_decimals_stub, &round_decimals_kernel)
REGISTER_DISPATCH(frac_stub, &frac_kernel)
REGISTER_DISPATCH(deg2rad_stub, &deg2rad_kernel)
REGISTER_DISPATCH(rad2deg_stub, &rad2deg_kernel)
REGISTER_DISPATCH(isnan_stub, &isnan_kernel)
REGISTER_DISPATCH(isinf_stub, &isinf_kernel)
REGISTER_DISPATCH(isfinite_stub, &isfinite_kernel)
REGISTER_DISPATCH(isposinf_stub, &isposinf_kernel)
REGISTER_DISPATCH(isneginf_stub, &isneginf_kernel)
REGISTER_DISPATCH(signbit_stub, &signbit_kernel)
REGISTER_DISPATCH(logical_not_stub, &logical_not_kernel)
REGISTER_DISPATCH(bitwise_not_stub, &bitwise_not_kernel)
REGISTER_DISPATCH(nan_to_num_stub, &nan_to_num_kernel)

}  // namespace at::native
