// Kernels of Bessel and Airy functions, computed in double but for I in float.

#include <limits>

#include <ATen/native/common/cpu/InDouble.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/special_bessel/bessel_functions.h>
#include <ATen/native/special_bessel/cpu/bessel_vectors.h>
#include <ATen/native/special_bessel/cpu/wave_vectors.h>
#include <ATen/native/special_bessel/wave_functions.h>
#include <ATen/ops/i0_native.h>
#include <ATen/ops/special_airy_ai_native.h>
#include <ATen/ops/special_bessel_j0_native.h>
#include <ATen/ops/special_bessel_j1_native.h>
#include <ATen/ops/special_bessel_y0_native.h>
#include <ATen/ops/special_bessel_y1_native.h>
#include <ATen/ops/special_i0e_native.h>
#include <ATen/ops/special_i1_native.h>
#include <ATen/ops/special_i1e_native.h>
#include <ATen/ops/special_modified_bessel_i0_native.h>
#include <ATen/ops/special_modified_bessel_i1_native.h>
#include <ATen/ops/special_modified_bessel_k0_native.h>
#include <ATen/ops/special_modified_bessel_k1_native.h>
#include <ATen/ops/special_scaled_modified_bessel_k0_native.h>
#include <ATen/ops/special_scaled_modified_bessel_k1_native.h>
#include <ATen/ops/special_spherical_bessel_j0_native.h>

namespace at::native {
namespace {

template <typename F>
void full_types(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [f](Vec<T> x) -> Vec<T> { return f(x); }, kGrainSize / 32);
  });
}
// Half types too, as float.
template <typename F>
void all_types(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [f](Vec<T> x) -> Vec<T> { return f(x); }, kGrainSize / 32);
  });
}

}  // namespace

static void i0_kernel(TensorIteratorBase& iter) {
  all_types(iter, "i0_vml_cpu", [](auto x) { return bessel_i0(x); });
}
static void special_i0e_kernel(TensorIteratorBase& iter) {
  all_types(iter, "i0e_cpu", [](auto x) { return bessel_i0e(x); });
}
static void special_i1_kernel(TensorIteratorBase& iter) {
  all_types(iter, "i1_cpu", [](auto x) { return bessel_i1(x); });
}
static void special_i1e_kernel(TensorIteratorBase& iter) {
  all_types(iter, "i1e_cpu", [](auto x) { return bessel_i1e(x); });
}
static void special_airy_ai_kernel(TensorIteratorBase& iter) {
  full_types_in_double(iter, "airy_ai_cpu", [](double x) { return airy_ai(x); });
}
static void special_bessel_j0_kernel(TensorIteratorBase& iter) {
  full_types_by_doubles(iter, "bessel_j0_cpu", [](Doubles x) { return bessel_j0(x); });
}
static void special_bessel_j1_kernel(TensorIteratorBase& iter) {
  full_types_by_doubles(iter, "bessel_j1_cpu", [](Doubles x) { return bessel_j1(x); });
}
static void special_bessel_y0_kernel(TensorIteratorBase& iter) {
  full_types_by_doubles(iter, "bessel_y0_cpu", [](Doubles x) { return bessel_y0(x); });
}
static void special_bessel_y1_kernel(TensorIteratorBase& iter) {
  full_types_by_doubles(iter, "bessel_y1_cpu", [](Doubles x) { return bessel_y1(x); });
}
static void special_modified_bessel_i0_kernel(TensorIteratorBase& iter) {
  full_types(iter, "modified_bessel_i0_cpu", [](auto x) { return bessel_i0(x); });
}
static void special_modified_bessel_i1_kernel(TensorIteratorBase& iter) {
  full_types(iter, "modified_bessel_i1_cpu", [](auto x) { return bessel_i1(x); });
}
static void special_modified_bessel_k0_kernel(TensorIteratorBase& iter) {
  full_types_in_double(iter, "modified_bessel_k0_cpu", [](double x) { return bessel_k0(x); });
}
static void special_modified_bessel_k1_kernel(TensorIteratorBase& iter) {
  full_types_in_double(iter, "modified_bessel_k1_cpu", [](double x) { return bessel_k1(x); });
}
static void special_scaled_modified_bessel_k0_kernel(TensorIteratorBase& iter) {
  full_types_in_double(iter, "scaled_modified_bessel_k0_cpu",
                       [](double x) { return bessel_k0e(x); });
}
static void special_scaled_modified_bessel_k1_kernel(TensorIteratorBase& iter) {
  full_types_in_double(iter, "scaled_modified_bessel_k1_cpu",
                       [](double x) { return bessel_k1e(x); });
}
static void special_spherical_bessel_j0_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), "spherical_bessel_j0_cpu",
                                [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> x) -> Vec<T> {
      const Vec<T> waves = sin(x) / x, none(T(0));
      const Vec<T> finite = where(abs(x) == std::numeric_limits<T>::infinity(), none, waves);
      return where(x == T(0), Vec<T>(T(1)), finite);
    });
  });
}

REGISTER_DISPATCH(i0_stub, &i0_kernel)
REGISTER_DISPATCH(special_i0e_stub, &special_i0e_kernel)
REGISTER_DISPATCH(special_i1_stub, &special_i1_kernel)
REGISTER_DISPATCH(special_i1e_stub, &special_i1e_kernel)
REGISTER_DISPATCH(special_airy_ai_stub, &special_airy_ai_kernel)
REGISTER_DISPATCH(special_bessel_j0_stub, &special_bessel_j0_kernel)
REGISTER_DISPATCH(special_bessel_j1_stub, &special_bessel_j1_kernel)
REGISTER_DISPATCH(special_bessel_y0_stub, &special_bessel_y0_kernel)
REGISTER_DISPATCH(special_bessel_y1_stub, &special_bessel_y1_kernel)
REGISTER_DISPATCH(special_modified_bessel_i0_stub, &special_modified_bessel_i0_kernel)
REGISTER_DISPATCH(special_modified_bessel_i1_stub, &special_modified_bessel_i1_kernel)
REGISTER_DISPATCH(special_modified_bessel_k0_stub, &special_modified_bessel_k0_kernel)
REGISTER_DISPATCH(special_modified_bessel_k1_stub, &special_modified_bessel_k1_kernel)
REGISTER_DISPATCH(special_scaled_modified_bessel_k0_stub, &special_scaled_modified_bessel_k0_kernel)
REGISTER_DISPATCH(special_scaled_modified_bessel_k1_stub, &special_scaled_modified_bessel_k1_kernel)
REGISTER_DISPATCH(special_spherical_bessel_j0_stub, &special_spherical_bessel_j0_kernel)

}  // namespace at::native
