// Comparisons and logic: any types in, bool out.

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/ops/eq_native.h>
#include <ATen/ops/ge_native.h>
#include <ATen/ops/gt_native.h>
#include <ATen/ops/le_native.h>
#include <ATen/ops/logical_and_native.h>
#include <ATen/ops/logical_or_native.h>
#include <ATen/ops/logical_xor_native.h>
#include <ATen/ops/lt_native.h>
#include <ATen/ops/ne_native.h>

namespace at::native {
namespace {

template <bool kEqual>
void equality(TensorIteratorBase& iter) {
  ScalarType dtype = iter.common_dtype();
  if (isComplexType(dtype)) {
    dispatch_complex(dtype, "eq_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a, T b) -> bool { return (a == b) == kEqual; });
    });
  } else if (dtype == kBool) {
    cpu_kernel(iter, [](bool a, bool b) -> bool { return (a == b) == kEqual; });
  } else if (isIntegralType(dtype)) {
    dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
      cpu_kernel_bits(iter, [](T a, T b) -> bool { return (a == b) == kEqual; });
    });
  } else {
    dispatch_floating(isFloat8Type(dtype) ? kFloat : dtype, "eq_cpu", [&]<typename T>(TypeTag<T>) {
      cpu_kernel(iter, [](T a, T b) -> bool { return (a == b) == kEqual; });
    });
  }
}

template <typename F>
void order(TensorIteratorBase& iter, const char* op, F f) {
  ScalarType dtype = iter.common_dtype();
  if (dtype == kBool) return cpu_kernel(iter, [f](bool a, bool b) -> bool { return f(a, b); });
  dispatch_types<IntegralTypes, UnsignedTypes, float, double, c10::Half, c10::BFloat16>(
      dtype, op, [&]<typename Stored>(TypeTag<Stored>) {
    using T = std::conditional_t<is_reduced_float_v<Stored>, float, Stored>;
    cpu_kernel(iter, [f](T a, T b) -> bool { return f(a, b); });
  });
}

}  // namespace

static void eq_kernel(TensorIteratorBase& iter) { equality<true>(iter); }

static void ne_kernel(TensorIteratorBase& iter) { equality<false>(iter); }

static void lt_kernel(TensorIteratorBase& iter) {
  order(iter, "lt_cpu", [](auto a, auto b) { return a < b; });
}

static void le_kernel(TensorIteratorBase& iter) {
  order(iter, "le_cpu", [](auto a, auto b) { return a <= b; });
}

static void gt_kernel(TensorIteratorBase& iter) {
  order(iter, "gt_cpu", [](auto a, auto b) { return a > b; });
}

static void ge_kernel(TensorIteratorBase& iter) {
  order(iter, "ge_cpu", [](auto a, auto b) { return a >= b; });
}

namespace {

// f(x != 0, y != 0). Numbers of one type are compared where they are; others convert to bool on
// loading.
template <typename F>
void logical(TensorIteratorBase& iter, const F& f) {
  const ScalarType dtype = iter.dtype(1);
  const bool is_float = dtype == kFloat || dtype == kDouble || isReducedFloatingType(dtype);
  if (iter.dtype(0) != kBool || iter.dtype(2) != dtype ||
      !(is_float || isIntegralType(dtype, true)))
    return cpu_kernel(iter, f);
  dispatch_bits(elementSize(dtype), [&]<typename T>(TypeTag<T>) {
    // The sign of a zero does not count.
    constexpr T kAll = static_cast<T>(-1);
    const T counted = is_float ? static_cast<T>(kAll >> 1) : kAll;
    cpu_kernel_bits(
        iter, [f, counted](T a, T b) -> bool { return f((a & counted) != 0, (b & counted) != 0); });
  });
}

}  // namespace

static void and_kernel(TensorIteratorBase& iter) {
  logical(iter, [](bool a, bool b) -> bool { return a & b; });
}

static void or_kernel(TensorIteratorBase& iter) {
  logical(iter, [](bool a, bool b) -> bool { return a | b; });
}

static void xor_kernel(TensorIteratorBase& iter) {
  logical(iter, [](bool a, bool b) -> bool { return a ^ b; });
}

REGISTER_DISPATCH(eq_stub, &eq_kernel)
REGISTER_DISPATCH(ne_stub, &ne_kernel)
REGISTER_DISPATCH(lt_stub, &lt_kernel)
REGISTER_DISPATCH(le_stub, &le_kernel)
REGISTER_DISPATCH(gt_stub, &gt_kernel)
REGISTER_DISPATCH(ge_stub, &ge_kernel)
REGISTER_DISPATCH(logical_and_stub, &and_kernel)
REGISTER_DISPATCH(logical_or_stub, &or_kernel)
REGISTER_DISPATCH(logical_xor_stub, &xor_kernel)

}  // namespace at::native
