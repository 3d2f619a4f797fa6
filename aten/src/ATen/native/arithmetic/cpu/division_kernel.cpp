// Division that rounds, and its remainders.
//
// Integers: a divisor of 0 is an error, and the one quotient that overflows (the minimum divided by
// -1) wraps. Floats: floor division and remainder are consistent as in Python: a == floor(a / b) *
// b + a % b, and the remainder has the sign of the divisor.

#include <cmath>
#include <limits>

#include <ATen/native/arithmetic/integer_division.h>
#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/ops/div_native.h>
#include <ATen/ops/floor_divide_native.h>
#include <ATen/ops/fmod_native.h>
#include <ATen/ops/remainder_native.h>

namespace at::native {
namespace {

// f(a, b), if b is not 0.
template <typename T, typename F>
void integer_kernel(TensorIteratorBase& iter, const F& f) {
  cpu_kernel(iter, [f](T a, T b) -> T {
    TORCH_CHECK(b != 0, "ZeroDivisionError");
    return f(a, b);
  });
}

// The quotient is rounded, so that its whole part may be wrong by one; up to a size, the remainder
// that it leaves is exact. The C library divides larger ones.
template <typename T>
Vec<T> float_mod(Vec<T> a, Vec<T> b) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr T kExact = T(0.25) / std::numeric_limits<T>::epsilon();
  const Vec<T> size = abs(a), divisor = abs(b), quotient = size / divisor;
  const auto product = exact_product(trunc(quotient), divisor);
  Vec<T> rest = (size - product.product) - product.error;
  rest = where(rest < T(0), rest + divisor, rest);
  rest = where(rest >= divisor, rest - divisor, rest);
  const auto by_infinity = divisor == Vec<T>(kInfinity),
             has_result = (size < kInfinity) & (divisor > T(0));
  rest = where(by_infinity, size, rest);
  const auto large = has_result & !by_infinity & !(quotient < kExact);
  if (C10_UNLIKELY(any(large))) {
    for (int64_t i = 0; i < Vec<T>::size; ++i)
      if (large[i]) rest.v[i] = std::fmod(size.v[i], divisor.v[i]);
  }
  return where(has_result, copysign(rest, a), Vec<T>(std::numeric_limits<T>::quiet_NaN()));
}

template <typename T>
Vec<T> float_remainder(Vec<T> a, Vec<T> b) {
  Vec<T> r = float_mod(a, b);
  return where((r != T(0)) & ((r < T(0)) != (b < T(0))), r + b, r);
}

template <typename T>
Vec<T> float_div_floor(Vec<T> a, Vec<T> b) {
  Vec<T> r = float_mod(a, b);
  Vec<T> q = (a - r) / b;
  q = where((r != T(0)) & ((r < T(0)) != (b < T(0))), q - T(1), q);
  Vec<T> down = floor(q);
  down = where(q - down > T(0.5), down + T(1), down);
  down = where(q == T(0), copysign(Vec<T>(T(0)), a / b), down);
  return where(b == T(0), a / b, down);
}

}  // namespace

static void floor_divide_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype)) {
    dispatch_integral(dtype, "div_floor_cpu", [&]<typename T>(TypeTag<T>) {
      integer_kernel<T>(iter, [](T a, T b) -> T { return int_div_floor(a, b); });
    });
  } else {
    dispatch_floating(dtype, "div_floor_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return float_div_floor(a, b); });
    });
  }
}

static void div_mode_kernel(TensorIteratorBase& iter, std::optional<std::string_view> mode) {
  if (!mode) return div_stub(kCPU, iter);
  if (*mode == "floor") return floor_divide_kernel(iter);
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype)) {
    dispatch_integral(dtype, "div_trunc_cpu", [&]<typename T>(TypeTag<T>) {
      integer_kernel<T>(iter, [](T a, T b) -> T { return int_div_trunc(a, b); });
    });
  } else {
    dispatch_floating(dtype, "div_trunc_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return trunc(a / b); });
    });
  }
}

static void remainder_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype)) {
    dispatch_integral(dtype, "remainder_cpu", [&]<typename T>(TypeTag<T>) {
      integer_kernel<T>(iter, [](T a, T b) -> T { return int_remainder(a, b); });
    });
  } else {
    dispatch_floating(dtype, "remainder_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return float_remainder(a, b); });
    });
  }
}

static void fmod_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype)) {
    dispatch_integral(dtype, "fmod_cpu", [&]<typename T>(TypeTag<T>) {
      integer_kernel<T>(iter, [](T a, T b) -> T { return int_mod(a, b); });
    });
  } else {
    dispatch_floating(dtype, "fmod_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return float_mod(a, b); });
    });
  }
}

REGISTER_DISPATCH(div_mode_stub, &div_mode_kernel)
REGISTER_DISPATCH(floor_divide_stub, &floor_divide_kernel)
REGISTER_DISPATCH(remainder_stub, &remainder_kernel)
REGISTER_DISPATCH(fmod_stub, &fmod_kernel)

}  // namespace at::native
