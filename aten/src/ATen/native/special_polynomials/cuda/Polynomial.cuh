#pragma once
// Kernels of orthogonal polynomials: polynomial<chebyshev_t<double>>(iter, "name"), computed in
// double.

#include <ATen/native/special_polynomials/polynomials.h>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {

template <double (*f)(double, int64_t)>
C10_HOST_DEVICE double shifted(double x, int64_t n) {
  return f(2 * x - 1, n);
}

// Degrees are cut to whole numbers; those below 0, and no numbers, give 0.
template <double (*f)(double, int64_t)>
struct PolynomialOf {
  C10_NOINLINE __device__ static double call(double x, double n) {
    return n > -1 && n < 9e18 ? f(x, static_cast<int64_t>(n)) : 0;
  }
  __device__ double operator()(double x, double n) const { return call(x, n); }
};

template <double (*f)(double, int64_t)>
void polynomial(TensorIteratorBase& iter, const char* op) {
  dispatch_types<FloatingTypes>(iter.common_dtype(), op, [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel<T>(iter, PolynomialOf<f>());
  });
}

}  // namespace at::native
