// Exponentials, logarithms, lengths and angles of two numbers on CUDA devices.

#include <cmath>

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/atan2_native.h>
#include <ATen/ops/hypot_native.h>
#include <ATen/ops/logaddexp2_native.h>
#include <ATen/ops/logaddexp_native.h>
#include <ATen/ops/xlogy_native.h>
#include <ATen/native/common/cuda/ComplexMath.cuh>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <typename T>
struct Atan2 {
  __device__ T operator()(T a, T b) const { return std::atan2(a, b); }
};
template <typename T>
struct Hypot {
  __device__ T operator()(T a, T b) const { return std::hypot(a, b); }
};
template <typename T>
struct Xlogy {
  __device__ T operator()(T x, T y) const {
    return y != y ? y : x == T(0) ? T(0) : x * std::log(y);
  }
};

// The difference of equal infinities is NaN; otherwise the larger one dominates the sum.
template <typename T>
__device__ bool is_same_infinity(T a, T b) {
  return a == b && std::isinf(a);
}
template <typename T>
struct LogAddExp {
  __device__ T operator()(T a, T b) const {
    if constexpr (is_complex_v<T>) {
      const T larger = a.real() < b.real() ? b : a, smaller = a.real() < b.real() ? a : b;
      const bool infinite = std::isinf(larger.real()) || std::isinf(larger.imag());
      if (infinite && larger == smaller) return larger;
      return larger + complex_math::log1p(complex_math::exp(smaller - larger));
    } else {
      if (is_same_infinity(a, b)) return a;
      return (a > b || a != a ? a : b) + std::log1p(std::exp(-std::abs(a - b)));
    }
  }
};
template <typename T>
struct LogAddExp2 {
  __device__ T operator()(T a, T b) const {
    if (is_same_infinity(a, b)) return a;
    return (a > b || a != a ? a : b) + std::log1p(std::exp2(-std::abs(a - b))) * T(M_LOG2E);
  }
};

}  // namespace

static void atan2_kernel(TensorIteratorBase& iter) { floats<Atan2>(iter, "atan2_cuda"); }
static void hypot_kernel(TensorIteratorBase& iter) { floats<Hypot>(iter, "hypot_cuda"); }
static void xlogy_kernel(TensorIteratorBase& iter) { floats<Xlogy>(iter, "xlogy_cuda"); }
static void logaddexp_kernel(TensorIteratorBase& iter) {
  floats_and_complexes<LogAddExp>(iter, "logaddexp_cuda");
}
static void logaddexp2_kernel(TensorIteratorBase& iter) {
  floats<LogAddExp2>(iter, "logaddexp2_cuda");
}

REGISTER_CUDA_DISPATCH(atan2_stub, &atan2_kernel)
REGISTER_CUDA_DISPATCH(hypot_stub, &hypot_kernel)
REGISTER_CUDA_DISPATCH(xlogy_stub, &xlogy_kernel)
REGISTER_CUDA_DISPATCH(logaddexp_stub, &logaddexp_kernel)
REGISTER_CUDA_DISPATCH(logaddexp2_stub, &logaddexp2_kernel)

}  // namespace at::native
