// Derivatives of gamma and Dirichlet samples, computed in double.

#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/samplers/sample_gradients.h>
#include <ATen/ops/_dirichlet_grad_native.h>
#include <ATen/ops/_standard_gamma_grad_native.h>

namespace at::native {
namespace {

// Where sums end: float needs few terms.
template <typename T>
constexpr double kTolerance = std::is_same_v<T, float> ? 1e-9 : 1e-16;

}  // namespace

static void standard_gamma_grad_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), "_standard_gamma_grad_cpu",
                                [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T alpha, T x) -> T {
      return static_cast<T>(
          gamma_sample_grad(static_cast<double>(alpha), static_cast<double>(x), kTolerance<T>));
    }, kGrainSize / 128);
  });
}

static void dirichlet_grad_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), "_dirichlet_grad_cpu",
                                [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T x, T alpha, T total) -> T {
      return static_cast<T>(beta_sample_grad(static_cast<double>(x), static_cast<double>(alpha),
                                             static_cast<double>(total), kTolerance<T>));
    }, kGrainSize / 128);
  });
}

REGISTER_DISPATCH(_standard_gamma_grad_stub, &standard_gamma_grad_kernel)
REGISTER_DISPATCH(_dirichlet_grad_stub, &dirichlet_grad_kernel)

}  // namespace at::native
