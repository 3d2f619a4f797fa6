// Kernels of the normal distribution, the scaled error function and entropies.

#include <limits>

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/special_error/cpu/error_vectors.h>
#include <ATen/ops/special_entr_native.h>
#include <ATen/ops/special_erfcx_native.h>
#include <ATen/ops/special_log_ndtr_native.h>
#include <ATen/ops/special_ndtr_native.h>
#include <ATen/ops/special_ndtri_native.h>
#include <ATen/ops/special_xlog1py_native.h>

namespace at::native {
namespace {

// In float32 and float64.
template <typename F>
void full_types(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [f](Vec<T> x) -> Vec<T> { return f(x); });
  });
}

}  // namespace

static void entr_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "entr_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> x) -> Vec<T> {
      const Vec<T> zero(T(0)), outside(-std::numeric_limits<T>::infinity());
      const Vec<T> positive = where(x > zero, -x * log(x), where(x == zero, zero, outside));
      return where(x != x, x, positive);
    });
  });
}
static void erfcx_kernel(TensorIteratorBase& iter) {
  full_types(iter, "erfcx_cpu", [](auto x) { return erfcx(x); });
}
static void ndtr_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "ndtr_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> x) -> Vec<T> { return where(x != x, x, normal_integral(x)); });
  });
}
static void ndtri_kernel(TensorIteratorBase& iter) {
  full_types(iter, "ndtri_cpu", [](auto p) { return ndtri(p); });
}
static void log_ndtr_kernel(TensorIteratorBase& iter) {
  full_types(iter, "log_ndtr_cpu", [](auto x) { return log_ndtr(x); });
}
static void xlog1py_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "xlog1py_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> x, Vec<T> y) -> Vec<T> {
      return where((x == T(0)) & (y == y), Vec<T>(T(0)), x * log1p(y));
    });
  });
}

REGISTER_DISPATCH(special_entr_stub, &entr_kernel)
REGISTER_DISPATCH(special_erfcx_stub, &erfcx_kernel)
REGISTER_DISPATCH(special_ndtr_stub, &ndtr_kernel)
REGISTER_DISPATCH(special_ndtri_stub, &ndtri_kernel)
REGISTER_DISPATCH(special_log_ndtr_stub, &log_ndtr_kernel)
REGISTER_DISPATCH(special_xlog1py_stub, &xlog1py_kernel)

}  // namespace at::native
