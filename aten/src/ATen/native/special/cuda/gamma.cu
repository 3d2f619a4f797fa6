// The gamma function's logarithm and its derivatives, and the inverse of erf, on CUDA devices.

#include <cmath>

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/special/SpecialFunctions.h>
#include <ATen/native/special/inverse_error_terms.h>
#include <ATen/ops/digamma_native.h>
#include <ATen/ops/erfinv_native.h>
#include <ATen/ops/lgamma_native.h>
#include <ATen/ops/polygamma_native.h>
#include <ATen/native/common/cuda/InDouble.cuh>

namespace at::native {
namespace {

template <typename T>
struct Lgamma {
  __device__ T operator()(T x) const { return std::lgamma(x); }
};
struct Polygamma {
  int64_t n;
  C10_NOINLINE __device__ static double call(int64_t n, double x) { return polygamma(n, x); }
  __device__ double operator()(double x) const { return call(n, x); }
};

}  // namespace

static void lgamma_kernel(TensorIteratorBase& iter) { floats<Lgamma>(iter, "lgamma_cuda"); }
static void erfinv_kernel(TensorIteratorBase& iter) {
  all_types_in_double<inverse_error>(iter, "erfinv_cuda");
}
static void digamma_kernel(TensorIteratorBase& iter) {
  all_types_in_double<digamma>(iter, "digamma_cuda");
}
static void polygamma_kernel(TensorIteratorBase& iter, int64_t n) {
  in_double<FloatingAndReduced>(iter, "polygamma_cuda", Polygamma{n});
}

REGISTER_CUDA_DISPATCH(lgamma_stub, &lgamma_kernel)
REGISTER_CUDA_DISPATCH(erfinv_stub, &erfinv_kernel)
REGISTER_CUDA_DISPATCH(digamma_stub, &digamma_kernel)
REGISTER_CUDA_DISPATCH(polygamma_stub, &polygamma_kernel)

}  // namespace at::native
