// pow. Common exponents have their own loops.

#include <cmath>

#include <ATen/native/binary_math/binary_functions.h>
#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/ops/pow_native.h>
#include <c10/util/complex_math.h>

namespace at::native {
static void pow_tensor_tensor_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype)) {
    dispatch_types<IntegralTypes>(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a, T b) -> T { return int_pow(a, static_cast<int64_t>(b)); });
    });
  } else if (isComplexType(dtype)) {
    dispatch_complex(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a, T b) -> T { return c10::pow(a, b); });
    });
  } else {
    dispatch_floating(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      cpu_kernel_vec(iter, [](Vec<T> a, Vec<T> b) -> Vec<T> { return pow(a, b); });
    });
  }
}

namespace {

template <typename T>
bool common_powers(TensorIteratorBase& iter, double e) {
  if (e == 2) {
    cpu_kernel_halves(iter, [](T a) -> T { return a * a; });
  } else if (e == 3) {
    cpu_kernel_halves(iter, [](T a) -> T { return a * a * a; });
  } else if (e == 1) {
    cpu_kernel(iter, [](T a) -> T { return a; });
  } else if (e == 0) {
    cpu_kernel(iter, [](T) -> T { return T(1); });
  } else if (e == -1) {
    cpu_kernel_halves(iter, [](T a) -> T { return T(1) / a; });
  } else if (e == -2) {
    cpu_kernel(iter, [](T a) -> T { return T(1) / (a * a); });
  } else {
    return false;
  }
  return true;
}

template <typename T>
void float_powers(TensorIteratorBase& iter, double e) {
  if (common_powers<T>(iter, e)) return;
  if (e == 0.5) {
    cpu_kernel_halves(iter, [](T a) -> T { return std::sqrt(a); });
  } else if (e == -0.5) {
    cpu_kernel(iter, [](T a) -> T { return T(1) / std::sqrt(a); });
  } else {
    const T exponent = static_cast<T>(e);
    cpu_kernel_vec(iter, [exponent](Vec<T> a) -> Vec<T> { return pow(a, exponent); });
  }
}

void copy_bits(TensorIteratorBase& iter) {
  dispatch_bits(elementSize(iter.dtype(0)),
                [&]<typename T>(TypeTag<T>) { cpu_kernel_bits(iter, [](T a) -> T { return a; }); });
}

}  // namespace

static void pow_tensor_scalar_kernel(TensorIteratorBase& iter, const Scalar& exponent) {
  ScalarType dtype = iter.common_dtype();
  if (isIntegralType(dtype, true) && exponent.equal(1)) {
    iter.dtype(0) == iter.dtype(1) ? copy_bits(iter)
                                   : cpu_kernel(iter, [](int64_t a) -> int64_t { return a; });
  } else if (dtype == kBool && exponent.equal(0)) {
    cpu_kernel(iter, [](bool) -> bool { return true; });
  } else if (isIntegralType(dtype)) {
    int64_t e = 0;
    dispatch_types<IntegralTypes>(
        dtype, "pow", [&]<typename T>(TypeTag<T>) { e = static_cast<int64_t>(exponent.to<T>()); });
    if (e == 2 && iter.dtype(0) == dtype && iter.dtype(1) == dtype) {
      dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
        cpu_kernel_bits(iter, [](T a) -> T { return static_cast<T>((a + 0u) * a); });
      });
      return;
    }
    dispatch_types<IntegralTypes>(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [e](T a) -> T { return int_pow(a, e); });
    });
  } else if (isComplexType(dtype)) {
    dispatch_complex(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      const T e = exponent.cast<T>();
      if (!exponent.isComplex() && common_powers<T>(iter, exponent.cast<double>())) return;
      cpu_kernel(iter, [e](T a) -> T { return c10::pow(a, e); });
    });
  } else {
    dispatch_floating(dtype, "pow", [&]<typename T>(TypeTag<T>) {
      float_powers<T>(iter, exponent.cast<double>());
    });
  }
}

REGISTER_DISPATCH(pow_tensor_tensor_stub, &pow_tensor_tensor_kernel)
REGISTER_DISPATCH(pow_tensor_scalar_stub, &pow_tensor_scalar_kernel)

}  // namespace at::native
