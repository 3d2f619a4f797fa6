// maximum, minimum and other functions of two numbers.

#include <cmath>

#include <ATen/native/binary_math/binary_functions.h>
#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/native/common/cpu/Hypot.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/ops/atan2_native.h>
#include <ATen/ops/clamp_max_native.h>
#include <ATen/ops/clamp_min_native.h>
#include <ATen/ops/copysign_native.h>
#include <ATen/ops/fmax_native.h>
#include <ATen/ops/fmin_native.h>
#include <ATen/ops/heaviside_native.h>
#include <ATen/ops/hypot_native.h>
#include <ATen/ops/logaddexp2_native.h>
#include <ATen/ops/logaddexp_native.h>
#include <ATen/ops/maximum_native.h>
#include <ATen/ops/minimum_native.h>
#include <ATen/ops/nextafter_native.h>
#include <ATen/ops/xlogy_native.h>
#include <c10/util/complex_math.h>

namespace at::native {
namespace {

template <template <typename> class F>
void integers_and_floats(TensorIteratorBase& iter, const char* op) {
  auto run = [&]<typename T>(TypeTag<T>) { cpu_kernel(iter, F<T>()); };
  ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) {
    run(TypeTag<bool>());
  } else if (isIntegralType(dtype)) {
    dispatch_types<IntegralTypes>(dtype, op, run);
  } else {
    dispatch_floating(dtype, op,
                      [&]<typename T>(TypeTag<T>) { cpu_kernel_rows_halves(iter, F<T>()); });
  }
}

}  // namespace

static void maximum_kernel(TensorIteratorBase& iter) {
  integers_and_floats<Maximum>(iter, "maximum_cpu");
}
static void minimum_kernel(TensorIteratorBase& iter) {
  integers_and_floats<Minimum>(iter, "minimum_cpu");
}

static void fmax_kernel(TensorIteratorBase& iter) {
  if (isIntegralType(iter.common_dtype(), true)) return maximum_kernel(iter);
  dispatch_floating(iter.common_dtype(), "fmax_cpu",
                    [&]<typename T>(TypeTag<T>) { cpu_kernel_halves(iter, Fmax<T>()); });
}
static void fmin_kernel(TensorIteratorBase& iter) {
  if (isIntegralType(iter.common_dtype(), true)) return minimum_kernel(iter);
  dispatch_floating(iter.common_dtype(), "fmin_cpu",
                    [&]<typename T>(TypeTag<T>) { cpu_kernel_halves(iter, Fmin<T>()); });
}

static void atan2_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "atan2_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return atan2(a, b); });
  });
}

static void hypot_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "hypot_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return inline_hypot(a, b); });
  });
}

static void copysign_kernel(TensorIteratorBase& iter) {
  const ScalarType dtype = iter.dtype(0);
  if (isFloatingType(dtype) && !isFloat8Type(dtype) && iter.dtype(1) == dtype &&
      iter.dtype(2) == dtype) {
    // Halves need no conversion.
    return dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
      constexpr T kSign = static_cast<T>(T(1) << (8 * sizeof(T) - 1));
      cpu_kernel_bits(iter, [](T a, T b) -> T { return (a & ~kSign) | (b & kSign); });
    });
  }
  dispatch_floating(iter.common_dtype(), "copysign_cpu",
                    [&]<typename T>(TypeTag<T>) { cpu_kernel(iter, CopySign<T>()); });
}

static void nextafter_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingAndReduced>(
      iter.common_dtype(), "nextafter_cpu",
      [&]<typename T>(TypeTag<T>) { cpu_kernel(iter, NextAfter<T>()); });
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
      Vec<T> sum = larger + log1p(exp(-difference));
      return where((a == b) & (abs(a) == T(__builtin_inf())), a, sum);
    });
  });
}

static void logaddexp2_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "logaddexp2_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> {
      Vec<T> larger = max(a, b), difference = abs(a - b);
      Vec<T> sum = larger + log1p(exp2(-difference)) * T(1.4426950408889634074);
      return where((a == b) & (abs(a) == T(__builtin_inf())), a, sum);
    });
  });
}

static void heaviside_kernel(TensorIteratorBase& iter) {
  integers_and_floats<Heaviside>(iter, "heaviside_cpu");
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
REGISTER_DISPATCH(xlogy_stub, &xlogy_kernel)
REGISTER_DISPATCH(logaddexp_stub, &logaddexp_kernel)
REGISTER_DISPATCH(logaddexp2_stub, &logaddexp2_kernel)
REGISTER_DISPATCH(heaviside_stub, &heaviside_kernel)

}  // namespace at::native
