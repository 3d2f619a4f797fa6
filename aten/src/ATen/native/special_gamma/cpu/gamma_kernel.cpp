// Kernels of the incomplete gamma functions and of the zeta function, computed in double.

#include <type_traits>

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/special/cpu/zeta_vectors.h>
#include <ATen/native/special_gamma/cpu/incomplete_gamma_vectors.h>
#include <ATen/ops/igamma_native.h>
#include <ATen/ops/igammac_native.h>
#include <ATen/ops/special_zeta_native.h>

namespace at::native {
namespace {

template <typename T>
using NumberFor = std::conditional_t<std::is_same_v<T, double>, TwoDoubles, Doubles>;

// Single numbers: results in float64 are summed in long double; those of narrower types in double,
// as far as their digits need it.
template <typename T>
double one_incomplete_gamma(double a, double x, bool lower) {
  if constexpr (std::is_same_v<T, double>)
    return incomplete_gamma<long double, long double>(a, x, lower);
  else return incomplete_gamma<double, double>(a, x, lower, 1e-9);
}

void incomplete(TensorIteratorBase& iter, const char* op, bool lower) {
  dispatch_floating(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [lower](Vec<T> a, Vec<T> x) -> Vec<T> {
      return by_doubles(a, x, [lower](Doubles b, Doubles y) {
        return incomplete_gamma<NumberFor<T>>(b, y, lower, [lower](double c, double z) {
          return one_incomplete_gamma<T>(c, z, lower);
        });
      });
    }, kGrainSize / 64);
  });
}

}  // namespace

static void igamma_kernel(TensorIteratorBase& iter) {
  incomplete(iter, "igamma_cpu", /*lower=*/true);
}

static void igammac_kernel(TensorIteratorBase& iter) {
  incomplete(iter, "igammac_cpu", /*lower=*/false);
}

static void zeta_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), "zeta_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_vec(iter, [](Vec<T> s, Vec<T> q) -> Vec<T> {
      return by_doubles(s, q, [](Doubles a, Doubles b) { return zeta<NumberFor<T>>(a, b); });
    }, kGrainSize / 64);
  });
}

REGISTER_DISPATCH(igamma_stub, &igamma_kernel)
REGISTER_DISPATCH(igammac_stub, &igammac_kernel)
REGISTER_DISPATCH(special_zeta_stub, &zeta_kernel)

}  // namespace at::native
