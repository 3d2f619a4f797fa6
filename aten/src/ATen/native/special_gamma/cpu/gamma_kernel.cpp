// Kernels of the incomplete gamma functions and of the zeta function, computed in double.

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/special/SpecialFunctions.h>
#include <ATen/native/special_gamma/incomplete_gamma.h>
#include <ATen/ops/igamma_native.h>
#include <ATen/ops/igammac_native.h>
#include <ATen/ops/special_zeta_native.h>

namespace at::native {
namespace {

template <typename T, typename F>
void apply(TensorIteratorBase& iter, const F& f) {
  cpu_kernel(iter, [f](T a, T b) -> T {
    return static_cast<T>(f(static_cast<double>(a), static_cast<double>(b)));
  }, kGrainSize / 128);
}

// Results in float64 are summed in long double; those of narrower types in double, as far as their
// digits need it.
template <typename T>
double incomplete_gamma_for(double a, double x, bool lower) {
  if constexpr (std::is_same_v<T, double>) {
    return incomplete_gamma<long double, long double>(a, x, lower);
  } else {
    return incomplete_gamma<double, double>(a, x, lower, sizeof(T) == 4 ? 1e-9 : 1e-6);
  }
}

}  // namespace

static void igamma_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "igamma_cpu", [&]<typename T>(TypeTag<T>) {
    apply<T>(iter,
             [](double a, double x) { return incomplete_gamma_for<T>(a, x, /*lower=*/true); });
  });
}

static void igammac_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "igammac_cpu", [&]<typename T>(TypeTag<T>) {
    apply<T>(iter,
             [](double a, double x) { return incomplete_gamma_for<T>(a, x, /*lower=*/false); });
  });
}

static void zeta_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), "zeta_cpu", [&]<typename T>(TypeTag<T>) {
    apply<T>(iter, [](double x, double q) { return hurwitz_zeta(x, q); });
  });
}

REGISTER_DISPATCH(igamma_stub, &igamma_kernel)
REGISTER_DISPATCH(igammac_stub, &igammac_kernel)
REGISTER_DISPATCH(special_zeta_stub, &zeta_kernel)

}  // namespace at::native
