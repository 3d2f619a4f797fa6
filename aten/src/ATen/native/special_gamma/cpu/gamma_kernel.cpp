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

template <typename T>
using SumType = std::conditional_t<std::is_same_v<T, double>, long double, double>;

}  // namespace

static void igamma_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "igamma_cpu", [&]<typename T>(TypeTag<T>) {
    apply<T>(iter, [](double a, double x) {
      return incomplete_gamma<SumType<T>, long double>(a, x, /*lower=*/true);
    });
  });
}

static void igammac_kernel(TensorIteratorBase& iter) {
  dispatch_floating(iter.common_dtype(), "igammac_cpu", [&]<typename T>(TypeTag<T>) {
    apply<T>(iter, [](double a, double x) {
      return incomplete_gamma<SumType<T>, long double>(a, x, /*lower=*/false);
    });
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
