#pragma once
// Elementwise kernels that compute in double, whatever the type of the elements is:
//
//   full_types_in_double<bessel_j0>(iter, "bessel_j0_cuda");  // double bessel_j0(double)
//   all_types_in_double<digamma>(iter, "digamma_cuda");       // half types, too
//
// The functions are called, not inlined: kernels that compute vectors would contain several copies,
// which take long to compile.

#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {

template <double (*f)(double)>
struct OfDouble {
  C10_NOINLINE __device__ static double call(double x) { return f(x); }
  __device__ double operator()(double x) const { return call(x); }
};
template <double (*f)(double, double)>
struct OfDoubles {
  C10_NOINLINE __device__ static double call(double x, double y) { return f(x, y); }
  __device__ double operator()(double x, double y) const { return call(x, y); }
};

template <typename Types, typename F>
void in_double(TensorIteratorBase& iter, const char* op, const F& f) {
  dispatch_types<Types>(iter.common_dtype(), op,
                        [&]<typename T>(TypeTag<T>) { gpu_opmath_kernel<T>(iter, f); });
}

template <double (*f)(double)>
void full_types_in_double(TensorIteratorBase& iter, const char* op) {
  in_double<FloatingTypes>(iter, op, OfDouble<f>());
}
template <double (*f)(double)>
void all_types_in_double(TensorIteratorBase& iter, const char* op) {
  in_double<FloatingAndReduced>(iter, op, OfDouble<f>());
}

}  // namespace at::native
