// The incomplete gamma functions and the zeta function on CUDA devices.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/special/SpecialFunctions.h>
#include <ATen/native/special_gamma/incomplete_gamma.h>
#include <ATen/ops/igamma_native.h>
#include <ATen/ops/igammac_native.h>
#include <ATen/ops/special_zeta_native.h>
#include <ATen/native/common/cuda/InDouble.cuh>

namespace at::native {
namespace {

struct IncompleteGamma {
  bool lower;
  C10_NOINLINE __device__ static double call(double a, double x, bool lower) {
    return incomplete_gamma<double, double>(a, x, lower);
  }
  __device__ double operator()(double a, double x) const { return call(a, x, lower); }
};

}  // namespace

static void igamma_kernel(TensorIteratorBase& iter) {
  in_double<FloatingAndReduced>(iter, "igamma_cuda", IncompleteGamma{/*lower=*/true});
}
static void igammac_kernel(TensorIteratorBase& iter) {
  in_double<FloatingAndReduced>(iter, "igammac_cuda", IncompleteGamma{/*lower=*/false});
}
static void zeta_kernel(TensorIteratorBase& iter) {
  in_double<FloatingTypes>(iter, "zeta_cuda", OfDoubles<hurwitz_zeta>());
}

REGISTER_CUDA_DISPATCH(igamma_stub, &igamma_kernel)
REGISTER_CUDA_DISPATCH(igammac_stub, &igammac_kernel)
REGISTER_CUDA_DISPATCH(special_zeta_stub, &zeta_kernel)

}  // namespace at::native
