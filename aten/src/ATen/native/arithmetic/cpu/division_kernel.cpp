// Division that rounds, and its remainders.
//
// Integers: a divisor of 0 is an error, and the one quotient that overflows (the minimum divided by
// -1) wraps. Floats: floor division and remainder are consistent as in Python: a == floor(a / b) *
// b + a % b, and the remainder has the sign of the divisor.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <ATen/native/arithmetic/integer_division.h>
#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/ops/div_native.h>
#include <ATen/ops/floor_divide_native.h>
#include <ATen/ops/fmod_native.h>
#include <ATen/ops/remainder_native.h>

namespace at::native {
namespace {

// The numbers in which quotients are computed: their rounding error is smaller than the distance of
// a quotient to the next integer.
template <typename T>
using QuotientType = std::conditional_t<sizeof(T) <= 2, float, double>;

// Whether vectors divide these integers. All instructions for 64 bits came with AVX-512.
#if defined(__AVX512DQ__)
template <typename T>
constexpr bool kDividesInVectors = true;
#else
template <typename T>
constexpr bool kDividesInVectors = sizeof(T) < 8;
#endif

// Whether all are small enough for that.
template <typename T>
bool are_small(const T* x, int64_t n) {
  if constexpr (sizeof(T) < 8) {
    return true;
  } else {
    uint64_t bits = 0;
    for (int64_t i = 0; i < n; ++i) {
      // The bits that differ from the sign.
      const auto sign = std::is_signed_v<T> ? static_cast<uint64_t>(x[i] >> 63) : uint64_t(0);
      bits |= static_cast<uint64_t>(x[i]) ^ sign;
    }
    return bits < uint64_t(1) << 50;
  }
}

template <typename T>
bool any_zero(const T* x, int64_t n) {
  T found = 0;  // as wide as an element, so that GCC vectorizes this
  for (int64_t i = 0; i < n; ++i) found |= static_cast<T>(x[i] == 0);
  return found != 0;
}

// f(a, b, quotient rounded to zero), where b is not 0. The quotient of the minimum and -1 wraps.
template <typename T, typename F>
void integer_kernel(TensorIteratorBase& iter, const F& f) {
  constexpr ScalarType kType = CppTypeToScalarType<T>::value;
  const ScalarType types[3] = {kType, kType, kType};
  const auto loop = [f](char* const* data, int64_t n) {
    constexpr int64_t kBlock = 256;
    for (int64_t first = 0; first < n; first += kBlock) {
      const int64_t count = std::min(kBlock, n - first);
      T* out = reinterpret_cast<T*>(data[0]) + first;
      const T *a = reinterpret_cast<const T*>(data[1]) + first,
              *b = reinterpret_cast<const T*>(data[2]) + first;
      TORCH_CHECK(!any_zero(b, count), "ZeroDivisionError");
      if (!kDividesInVectors<T> || !are_small(a, count) || !are_small(b, count)) {
        for (int64_t i = 0; i < count; ++i) out[i] = f(a[i], b[i], int_div_trunc(a[i], b[i]));
        continue;
      }
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) {
        using Q = QuotientType<T>;
        using Whole = std::conditional_t<sizeof(T) <= 2, int32_t, T>;
        const T x = a[i], y = b[i];
        const bool negates = std::is_signed_v<T> && y == static_cast<T>(-1);
        const T divisor = negates ? T(1) : y,
                negative = static_cast<T>(std::make_unsigned_t<T>(0) -
                                          static_cast<std::make_unsigned_t<T>>(x));
        const T q = static_cast<T>(static_cast<Whole>(static_cast<Q>(x) / static_cast<Q>(divisor)));
        out[i] = f(x, y, negates ? negative : q);
      }
    }
  };
  run_loop(iter, types, loop, kGrainSize / 4);
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
      integer_kernel<T>(iter, [](T a, T b, T q) -> T { return floor_of(a, b, q); });
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
      integer_kernel<T>(iter, [](T, T, T q) -> T { return q; });
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
      integer_kernel<T>(iter, [](T a, T b, T q) -> T { return remainder_of(a, b, q); });
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
      integer_kernel<T>(iter, [](T a, T b, T q) -> T { return rest_of(a, b, q); });
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
