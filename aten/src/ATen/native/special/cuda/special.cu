// erf, sinc and logit on CUDA devices.

#include <cmath>

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/erf_native.h>
#include <ATen/ops/erfc_native.h>
#include <ATen/ops/logit_native.h>
#include <ATen/ops/sinc_native.h>
#include <ATen/native/common/cuda/ComplexMath.cuh>
#include <ATen/native/common/cuda/Elementwise.cuh>

namespace at::native {
namespace {

template <typename T>
struct Erf {
  __device__ T operator()(T x) const { return std::erf(x); }
};
template <typename T>
struct Erfc {
  __device__ T operator()(T x) const { return std::erfc(x); }
};

// sin(pi z) / (pi z). The argument of the sine is reduced to near 0 before it is multiplied by pi.
template <typename T>
__device__ bool is_odd(T whole) {
  return std::fmod(whole, T(2)) != T(0);
}
template <typename T>
struct Sinc {
  __device__ T operator()(T x) const {
    if (x == T(0)) return T(1);
    constexpr T pi = T(M_PI);
    const T rounded = std::rint(x), s = std::sin((x - rounded) * pi) / (x * pi);
    return is_odd(rounded) ? -s : s;
  }
};
struct ComplexSinc {
  using C = c10::complex<double>;
  __device__ C operator()(C z) const {
    if (z == C(0)) return C(1);
    const double rounded = std::rint(z.real());
    const C w((z.real() - rounded) * M_PI, z.imag() * M_PI);
    // The rounding error of the product matters where sinh grows.
    const double rest = std::fma(z.imag(), M_PI, -w.imag()) + z.imag() * 1.2246467991473532e-16;
    C s = complex_math::sin(w);
    if (std::fabs(w.imag()) > 1) s = s + C(0, rest) * complex_math::cos(w);
    s = s / (z * C(M_PI));
    return is_odd(rounded) ? -s : s;
  }
};

// x is brought into [low, high] first.
template <typename T>
struct Logit {
  T low, high;
  __device__ T operator()(T x) const {
    const T p = x < low ? low : x > high ? high : x;
    return std::log(p / (T(1) - p));
  }
};

}  // namespace

static void erf_kernel(TensorIteratorBase& iter) { floats<Erf>(iter, "erf_cuda"); }
static void erfc_kernel(TensorIteratorBase& iter) { floats<Erfc>(iter, "erfc_cuda"); }

static void sinc_kernel(TensorIteratorBase& iter) {
  if (!isComplexType(iter.common_dtype())) return floats<Sinc>(iter, "sinc_cuda");
  dispatch_types<ComplexAndHalf>(iter.common_dtype(), "sinc_cuda", [&]<typename T>(TypeTag<T>) {
    gpu_opmath_kernel<T>(iter, ComplexSinc());
  });
}

static void logit_kernel(TensorIteratorBase& iter, std::optional<double> eps) {
  dispatch_types<FloatingAndReduced>(iter.common_dtype(), "logit_cuda",
                                     [&]<typename T>(TypeTag<T>) {
    using M = opmath_type<T>;
    constexpr M inf = std::numeric_limits<M>::infinity();
    const M low = eps ? static_cast<M>(*eps) : -inf;
    gpu_opmath_kernel<T>(iter, Logit<M>{low, eps ? M(1) - low : inf});
  });
}

REGISTER_CUDA_DISPATCH(erf_stub, &erf_kernel)
REGISTER_CUDA_DISPATCH(erfc_stub, &erfc_kernel)
REGISTER_CUDA_DISPATCH(sinc_stub, &sinc_kernel)
REGISTER_CUDA_DISPATCH(logit_stub, &logit_kernel)

}  // namespace at::native
