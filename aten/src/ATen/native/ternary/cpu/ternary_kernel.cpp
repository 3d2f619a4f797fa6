// where, clamp, lerp, addcmul, addcdiv.

#include <cmath>

#include <ATen/native/binary_math/binary_functions.h>
#include <ATen/native/common/ElementBits.h>
#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/native/ternary/clamp.h>
#include <ATen/native/ternary/where.h>
#include <ATen/ops/addcdiv_native.h>
#include <ATen/ops/addcmul_native.h>
#include <ATen/ops/clamp_max_native.h>
#include <ATen/ops/clamp_min_native.h>
#include <ATen/ops/clamp_native.h>
#include <ATen/ops/lerp_native.h>

namespace at::native {
namespace {

// Values are only moved: only their width matters.
template <typename T>
void where_bits(TensorIteratorBase& iter, const ScalarType (&types)[4]) {
  auto loop = [](char* const* data, int64_t n) {
    T* out = reinterpret_cast<T*>(data[0]);
    const uint8_t* condition = reinterpret_cast<const uint8_t*>(data[1]);
    const T *a = reinterpret_cast<const T*>(data[2]), *b = reinterpret_cast<const T*>(data[3]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = choose_bits(condition[i] != 0, a[i], b[i]);
  };
  run_loop(iter, types, loop, kGrainSize);
}

}  // namespace

static void where_kernel(TensorIteratorBase& iter, ScalarType dtype) {
  const ScalarType types[4] = {dtype, iter.dtype(1), dtype, dtype};
  if (elementSize(dtype) == 16) return where_bits<Bytes16>(iter, types);
  dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) { where_bits<T>(iter, types); });
}

namespace {

// The range left open by the bounds.
template <typename T>
T lowest() {
  return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                     : std::numeric_limits<T>::lowest();
}
template <typename T>
T highest() {
  return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                     : std::numeric_limits<T>::max();
}

// By one instruction for each bound. NaN passes; if the bounds cross, the upper one wins.
template <typename T>
Vec<T> within(Vec<T> a, T low, T high) {
  return min(Vec<T>(high), max(Vec<T>(low), a));
}

}  // namespace

static void clamp_kernel(TensorIteratorBase& iter, const std::optional<Scalar>& min,
                         const std::optional<Scalar>& max) {
  ScalarType dtype = iter.common_dtype();
  auto nan = [](const std::optional<Scalar>& s) {
    return s && s->isFloatingPoint() && std::isnan(s->toDouble());
  };
  bool nothing = nan(min) || nan(max);
  dispatch_types<IntegralTypes, UnsignedTypes, float, double, c10::Half, c10::BFloat16>(
      dtype, "clamp_cpu", [&]<typename Stored>(TypeTag<Stored>) {
    using T = std::conditional_t<is_reduced_float_v<Stored>, float, Stored>;
    T low = min ? min->to<T>() : lowest<T>(), high = max ? max->to<T>() : highest<T>();
    if (nothing && std::is_floating_point_v<T>) low = high = std::numeric_limits<T>::quiet_NaN();
    if (nothing) {
      cpu_kernel(iter, [low](T) -> T { return low; });
    } else if constexpr (std::is_floating_point_v<T>) {
      cpu_kernel_vec_halves(iter, [low, high](Vec<T> a) -> Vec<T> { return within(a, low, high); });
    } else {
      cpu_kernel(iter, [low, high](T a) -> T {
        T b = a < low ? low : a;
        return b > high ? high : b;
      });
    }
  });
}

// NaN of any operand is the result; if the bounds cross, the upper one wins.
static void clamp_tensors_kernel(TensorIteratorBase& iter) {
  const auto run = [&]<typename T>(TypeTag<T>) {
    cpu_kernel_rows_halves(
        iter, [](T a, T low, T high) -> T { return Minimum<T>()(Maximum<T>()(a, low), high); });
  };
  const ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype, true)) {
    dispatch_types<IntegralTypes, UnsignedTypes>(dtype == kBool ? kByte : dtype, "clamp_cpu", run);
  } else {
    dispatch_floating(dtype, "clamp_cpu", run);
  }
}

static void clamp_min_kernel(TensorIteratorBase& iter, const Scalar& min) {
  clamp_kernel(iter, min, std::nullopt);
}

static void clamp_max_kernel(TensorIteratorBase& iter, const Scalar& max) {
  clamp_kernel(iter, std::nullopt, max);
}

namespace {

template <typename F>
void floating_or_complex(TensorIteratorBase& iter, const char* op, const F& f) {
  ScalarType dtype = iter.common_dtype();
  if (isComplexType(dtype)) {
    dispatch_complex(dtype, op, f);
  } else {
    dispatch_floating(dtype, op, f);
  }
}

// Whether a weight is nearer to 0 than to 1. Results are computed from the nearer end, so that
// weight 1 gives `end` exactly: a + w (b - a), or b + (w - 1) (b - a).
template <typename T>
C10_ALWAYS_INLINE bool is_near_start(T w) {
  if constexpr (is_complex_v<T>) {
    return w.real() * w.real() + w.imag() * w.imag() < typename T::value_type(0.25);
  } else {
    return std::abs(w) < T(0.5);
  }
}

}  // namespace

static void lerp_scalar_kernel(TensorIteratorBase& iter, const Scalar& weight) {
  floating_or_complex(iter, "lerp_kernel_scalar", [&]<typename T>(TypeTag<T>) {
    if constexpr (!is_complex_v<T>) weight.to<T>();  // rejects a complex weight
    const T w = weight.cast<T>();
    if (is_near_start(w)) {
      cpu_kernel_rows_halves(iter, [w](T a, T b) -> T { return a + w * (b - a); });
    } else {
      const T from_end = w - T(1);
      cpu_kernel_rows_halves(iter, [from_end](T a, T b) -> T { return b + from_end * (b - a); });
    }
  });
}

static void lerp_tensor_kernel(TensorIteratorBase& iter) {
  floating_or_complex(iter, "lerp_kernel_tensor", [&]<typename T>(TypeTag<T>) {
    // Only numbers are chosen, so that GCC vectorizes the loop.
    const auto f = [](T a, T b, T w) -> T {
      const bool near = is_near_start(w);
      return (near ? a : b) + (near ? w : w - T(1)) * (b - a);
    };
    // For one weight, the loop over halves would become two.
    if (!run_halves<Rows::no>(iter, f, kGrainSize)) cpu_kernel_rows(iter, f);
  });
}

static void addcmul_kernel(TensorIteratorBase& iter, const Scalar& value) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype)) {
    dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
      const T v = static_cast<T>(value.to<int64_t>());
      cpu_kernel_bits(iter,
                      [v](T a, T b, T c) -> T { return static_cast<T>(a + (v + 0u) * b * c); });
    });
    return;
  }
  floating_or_complex(iter, "addcmul_cpu_out", [&]<typename T>(TypeTag<T>) {
    const T v = value.cast<T>();
    cpu_kernel_rows_halves(iter, [v](T a, T b, T c) -> T { return a + v * b * c; });
  });
}

static void addcdiv_kernel(TensorIteratorBase& iter, const Scalar& value) {
  floating_or_complex(iter, "addcdiv_cpu_out", [&]<typename T>(TypeTag<T>) {
    const T v = value.cast<T>();
    cpu_kernel_rows_halves(iter, [v](T a, T b, T c) -> T { return a + v * b / c; });
  });
}

REGISTER_DISPATCH(where_stub, &where_kernel)
REGISTER_DISPATCH(clamp_stub, &clamp_kernel)
REGISTER_DISPATCH(clamp_tensors_stub, &clamp_tensors_kernel)
REGISTER_DISPATCH(clamp_min_stub, &clamp_min_kernel)
REGISTER_DISPATCH(clamp_max_stub, &clamp_max_kernel)
REGISTER_DISPATCH(lerp_scalar_stub, &lerp_scalar_kernel)
REGISTER_DISPATCH(lerp_tensor_stub, &lerp_tensor_kernel)
REGISTER_DISPATCH(addcmul_stub, &addcmul_kernel)
REGISTER_DISPATCH(addcdiv_stub, &addcdiv_kernel)

}  // namespace at::native
