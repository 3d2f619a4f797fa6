// Derivatives of gamma and Dirichlet samples on CUDA devices, computed in double.

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/samplers/sample_gradients.h>
#include <ATen/ops/_dirichlet_grad_native.h>
#include <ATen/ops/_standard_gamma_grad_native.h>
#include <ATen/native/common/cuda/InDouble.cuh>

namespace at::native {
namespace {

struct GammaGradient {
  double tolerance;
  C10_NOINLINE __device__ static double call(double alpha, double x, double tolerance) {
    return gamma_sample_grad(alpha, x, tolerance);
  }
  __device__ double operator()(double alpha, double x) const { return call(alpha, x, tolerance); }
};
struct DirichletGradient {
  double tolerance;
  C10_NOINLINE __device__ static double call(double x, double alpha, double total,
                                             double tolerance) {
    return beta_sample_grad(x, alpha, total, tolerance);
  }
  __device__ double operator()(double x, double alpha, double total) const {
    return call(x, alpha, total, tolerance);
  }
};

// Where sums end: float needs few terms.
double tolerance_of(const TensorIteratorBase& iter) {
  return iter.common_dtype() == kFloat ? 1e-9 : 1e-16;
}

}  // namespace

static void standard_gamma_grad_cuda(TensorIteratorBase& iter) {
  in_double<FloatingTypes>(iter, "_standard_gamma_grad_cuda", GammaGradient{tolerance_of(iter)});
}
static void dirichlet_grad_cuda(TensorIteratorBase& iter) {
  in_double<FloatingTypes>(iter, "_dirichlet_grad_cuda", DirichletGradient{tolerance_of(iter)});
}

REGISTER_CUDA_DISPATCH(_standard_gamma_grad_stub, &standard_gamma_grad_cuda)
REGISTER_CUDA_DISPATCH(_dirichlet_grad_stub, &dirichlet_grad_cuda)

}  // namespace at::native
