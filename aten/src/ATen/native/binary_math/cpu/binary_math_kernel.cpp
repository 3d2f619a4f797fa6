// maximum, minimum and other functions of two numbers.

#include <cmath>
#include <numeric>

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/ops/atan2_native.h>
#include <ATen/ops/clamp_max_native.h>
#include <ATen/ops/clamp_min_native.h>
#include <ATen/ops/copysign_native.h>
#include <ATen/ops/fmax_native.h>
#include <ATen/ops/fmin_native.h>
#include <ATen/ops/gcd_native.h>
#include <ATen/ops/heaviside_native.h>
#include <ATen/ops/hypot_native.h>
#include <ATen/ops/lcm_native.h>
#include <ATen/ops/logaddexp2_native.h>
#include <ATen/ops/logaddexp_native.h>
#include <ATen/ops/maximum_native.h>
#include <ATen/ops/minimum_native.h>
#include <ATen/ops/nextafter_native.h>
#include <ATen/ops/xlogy_native.h>
#include <c10/util/complex_math.h>

namespace at::native {
namespace {

template <typename F, typename G>
void integers_and_floats(TensorIteratorBase& iter, const char* op, const F& integer,
                         const G& floating) {
  ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) {
    integer(TypeTag<bool>());
  } else if (isIntegralType(dtype)) {
    dispatch_types<IntegralTypes>(dtype, op, integer);
  } else {
    dispatch_floating(dtype, op, floating);
  }
}

}  // namespace

// NaN if either operand is NaN.
static void maximum_kernel(TensorIteratorBase& iter) {
  integers_and_floats(iter, "maximum_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return a > b ? a : b; });
  }, [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return (a > b) | (a != a) ? a : b; });
  });
}

static void minimum_kernel(TensorIteratorBase& iter) {
  integers_and_floats(iter, "minimum_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return a < b ? a : b; });
  }, [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return (a < b) | (a != a) ? a : b; });
  });
}

// The number if the other operand is NaN.
static void fmax_kernel(TensorIteratorBase& iter) {
  if (isIntegralType(iter.common_dtype(), true)) return maximum_kernel(iter);
  dispatch_floating(iter.common_dtype(), "fmax_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return (a > b) | (b != b) ? a : b; });
  });
}

static void fmin_kernel(TensorIteratorBase& iter) {
  if (isIntegralType(iter.common_dtype(), true)) return minimum_kernel(iter);
  dispatch_floating(iter.common_dtype(), "fmin_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return (a < b) | (b != b) ? a : b; });
  });
}

static void atan2_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "atan2_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return atan2(a, b); });
  });
}

static void hypot_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "hypot_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return hypot(a, b); });
  });
}

static void copysign_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "copysign_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return std::copysign(a, b); });
  });
}

namespace {

// The neighbour in the type itself: computing in float would return the float's neighbour.
template <typename T>
T reduced_nextafter(T from, T to) {
  float a = static_cast<float>(from), b = static_cast<float>(to);
  if (a != a || b != b) return T(a + b);
  if (a == b) return to;
  if (a == 0) return T(static_cast<uint16_t>(b < 0 ? 0x8001 : 1), c10::from_bits);
  bool away = (a < b) == (a > 0);
  return T(static_cast<uint16_t>(away ? from.x + 1 : from.x - 1), c10::from_bits);
}

}  // namespace

static void nextafter_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (dtype == kHalf) {
    cpu_kernel(iter, [](c10::Half a, c10::Half b) -> c10::Half { return reduced_nextafter(a, b); });
  } else if (dtype == kBFloat16) {
    cpu_kernel(iter, [](c10::BFloat16 a, c10::BFloat16 b) -> c10::BFloat16 {
      return reduced_nextafter(a, b);
    });
  } else {
    dispatch_types<FloatingTypes>(dtype, "nextafter_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a, T b) -> T { return std::nextafter(a, b); });
    });
  }
}

namespace {

// Euclid's algorithm on the absolute values.
template <typename T>
T greatest_divisor(T a, T b) {
  using U = std::make_unsigned_t<T>;
  U x = a < 0 ? U(0) - U(a) : U(a), y = b < 0 ? U(0) - U(b) : U(b);
  while (x != 0) {
    U r = y % x;
    y = x;
    x = r;
  }
  return static_cast<T>(y);
}

}  // namespace

static void gcd_kernel(TensorIteratorBase& iter) {
  dispatch_types<IntegralTypes>(iter.common_dtype(), "gcd_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return greatest_divisor(a, b); });
  });
}

static void lcm_kernel(TensorIteratorBase& iter) {
  dispatch_types<IntegralTypes>(iter.common_dtype(), "lcm_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T {
      using U = std::make_unsigned_t<T>;
      T g = greatest_divisor(a, b);
      if (g == 0) return 0;
      // g is negative only if it is the minimum, whose absolute value T cannot represent.
      U m = static_cast<U>(static_cast<uint64_t>(g < 0 ? T(1) : static_cast<T>(a / g)) *
                           static_cast<uint64_t>(b));
      T s = static_cast<T>(m);
      return s < 0 ? static_cast<T>(U(0) - m) : s;
    });
  });
}

static void xlogy_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "xlogy_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> x, Vec<T> y) -> Vec<T> {
      return where(y != y, y, where(x == T(0), T(0), x * log(y)));
    });
  });
}

static void logaddexp_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isComplexType(dtype)) {
    dispatch_complex(dtype, "logaddexp_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a, T b) -> T {
        T larger = a.real() < b.real() ? b : a, smaller = a.real() < b.real() ? a : b;
        if (c10::isinf(larger) && larger == smaller) return larger;
        return larger + c10::log1p(c10::exp(smaller - larger));
      });
    });
    return;
  }
  dispatch_floating(dtype, "logaddexp_cpu", [&]<typename T>(TypeTag<T>) {
    // The difference of equal infinities is NaN; otherwise the larger one dominates the sum.
    cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> {
      Vec<T> larger = max(a, b), difference = abs(a - b);
      Vec<T> sum = larger + sleef::log1p(exp(-difference));
      return where((a == b) & (abs(a) == T(__builtin_inf())), a, sum);
    });
  });
}

static void logaddexp2_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "logaddexp2_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> {
      Vec<T> larger = max(a, b), difference = abs(a - b);
      Vec<T> sum = larger + sleef::log1p(exp2(-difference)) * T(1.4426950408889634074);
      return where((a == b) & (abs(a) == T(__builtin_inf())), a, sum);
    });
  });
}

static void heaviside_kernel(TensorIteratorBase& iter) {
  integers_and_floats(iter, "heaviside_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return a == T(0) ? b : static_cast<T>(a > T(0)); });
  }, [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T a, T b) -> T { return a == T(0) ? b : static_cast<T>(a > T(0)); });
  });
}

REGISTER_DISPATCH(maximum_stub, &maximum_kernel)
REGISTER_DISPATCH(minimum_stub, &minimum_kernel)
REGISTER_DISPATCH(clamp_min_tensor_stub, &maximum_kernel)
REGISTER_DISPATCH(clamp_max_tensor_stub, &minimum_kernel)
REGISTER_DISPATCH(fmax_stub, &fmax_kernel)
REGISTER_DISPATCH(fmin_stub, &fmin_kernel)
REGISTER_DISPATCH(atan2_stub, &atan2_kernel)
REGISTER_DISPATCH(hypot_stub, &hypot_kernel)
REGISTER_DISPATCH(copysign_stub, &copysign_kernel)
REGISTER_DISPATCH(nextafter_stub, &nextafter_kernel)
REGISTER_DISPATCH(gcd_stub, &gcd_kernel)
REGISTER_DISPATCH(lcm_stub, &lcm_kernel)
REGISTER_DISPATCH(xlogy_stub, &xlogy_kernel)
REGISTER_DISPATCH(logaddexp_stub, &logaddexp_kernel)
REGISTER_DISPATCH(logaddexp2_stub, &logaddexp2_kernel)
REGISTER_DISPATCH(heaviside_stub, &heaviside_kernel)

}  // namespace at::native
