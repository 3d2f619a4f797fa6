// add, sub, mul, div.

#include <ATen/native/common/Wrapping.h>
#include <ATen/native/common/cpu/HalfLoops.h>
#include <ATen/ops/add_native.h>
#include <ATen/ops/div_native.h>
#include <ATen/ops/mul_native.h>
#include <ATen/ops/rsub_native.h>
#include <ATen/ops/sub_native.h>

namespace at::native {
namespace {

template <typename T>
void add_loops(TensorIteratorBase& iter, const Scalar& scale) {
  if (scale.equal(1)) {
    cpu_kernel_rows_halves(iter, [](T a, T b) -> T { return a + b; });
  } else if (scale.equal(-1)) {
    cpu_kernel_rows_halves(iter, [](T a, T b) -> T { return a - b; });
  } else {
    const T alpha = scale.cast<T>();
    cpu_kernel_halves(iter, [alpha](T a, T b) -> T { return a + alpha * b; });
  }
}

}  // namespace

static void add_kernel(TensorIteratorBase& iter, const Scalar& alpha) {
  ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) {
    const bool on = alpha.toBool();
    cpu_kernel(iter, [on](bool a, bool b) -> bool { return a | (b & on); });
  } else if (isIntegralType(dtype)) {
    // The sum of integers has the same bits for signed and unsigned types.
    dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
      const T scale = static_cast<T>(alpha.cast<int64_t>());
      if (scale == T(1)) {
        cpu_kernel_bits_rows(iter, [](T a, T b) -> T { return a + b; });
      } else {
        cpu_kernel_bits_rows(
            iter, [scale](T a, T b) -> T { return wrapping_sum(a, wrapping_product(scale, b)); });
      }
    });
  } else if (isComplexType(dtype)) {
    dispatch_complex(dtype, "add", [&]<typename T>(TypeTag<T>) { add_loops<T>(iter, alpha); });
  } else {
    dispatch_floating(dtype, "add", [&]<typename T>(TypeTag<T>) { add_loops<T>(iter, alpha); });
  }
}

static void sub_kernel(TensorIteratorBase& iter, const Scalar& alpha) { add_kernel(iter, -alpha); }

static void mul_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) {
    cpu_kernel(iter, [](bool a, bool b) -> bool { return a & b; });
  } else if (isIntegralType(dtype)) {
    dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
      cpu_kernel_bits_rows(iter, [](T a, T b) -> T { return wrapping_product(a, b); });
    });
  } else if (isComplexType(dtype)) {
    dispatch_complex(dtype, "mul", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a, T b) -> T { return a * b; });
    });
  } else {
    dispatch_floating(isFloat8Type(dtype) ? kFloat : dtype, "mul", [&]<typename T>(TypeTag<T>) {
      cpu_kernel_rows_halves(iter, [](T a, T b) -> T { return a * b; });
    });
  }
}

static void div_kernel(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isComplexType(dtype)) {
    dispatch_complex(dtype, "div", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a, T b) -> T { return a / b; });
    });
  } else {
    dispatch_floating(dtype, "div", [&]<typename T>(TypeTag<T>) {
      cpu_kernel_rows_halves(iter, [](T a, T b) -> T { return a / b; });
    });
  }
}

REGISTER_DISPATCH(add_stub, &add_kernel)
REGISTER_DISPATCH(sub_stub, &sub_kernel)
REGISTER_DISPATCH(rsub_stub, &sub_kernel)  // the operands are in reverse order
REGISTER_DISPATCH(mul_stub, &mul_kernel)
REGISTER_DISPATCH(div_stub, &div_kernel)

}  // namespace at::native
