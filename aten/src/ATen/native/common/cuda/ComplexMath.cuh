#pragma once
// Functions of complex numbers on CUDA devices: those of CCCL's complex, or of the host's compiler
// on the emulated device.

#include <cmath>

#include <c10/util/complex.h>
#include <cuda_runtime.h>
#ifdef TORCH_CUDA_EMULATED
#include <c10/util/complex_math.h>
#else
#include <cuda/std/complex>
#endif

namespace at::native::complex_math {

template <typename T>
__device__ T abs(c10::complex<T> z) {
  return std::hypot(z.real(), z.imag());
}
template <typename T>
__device__ T arg(c10::complex<T> z) {
  return std::atan2(z.imag(), z.real());
}

#ifdef TORCH_CUDA_EMULATED
using c10::acos, c10::acosh, c10::asin, c10::asinh, c10::atan, c10::atanh, c10::cos, c10::cosh,
    c10::exp, c10::log, c10::pow, c10::sin, c10::sinh, c10::sqrt, c10::tan, c10::tanh;
#else
#define C10_DEVICE_COMPLEX(name)                                             \
  template <typename T>                                                      \
  __device__ c10::complex<T> name(c10::complex<T> z) {                       \
    auto w = ::cuda::std::name(::cuda::std::complex<T>(z.real(), z.imag())); \
    return c10::complex<T>(w.real(), w.imag());                              \
  }
C10_DEVICE_COMPLEX(acos)
C10_DEVICE_COMPLEX(acosh)
C10_DEVICE_COMPLEX(asin)
C10_DEVICE_COMPLEX(asinh)
C10_DEVICE_COMPLEX(atan)
C10_DEVICE_COMPLEX(atanh)
C10_DEVICE_COMPLEX(cos)
C10_DEVICE_COMPLEX(cosh)
C10_DEVICE_COMPLEX(exp)
C10_DEVICE_COMPLEX(log)
C10_DEVICE_COMPLEX(sin)
C10_DEVICE_COMPLEX(sinh)
C10_DEVICE_COMPLEX(sqrt)
C10_DEVICE_COMPLEX(tan)
C10_DEVICE_COMPLEX(tanh)
#undef C10_DEVICE_COMPLEX
template <typename T>
__device__ c10::complex<T> pow(c10::complex<T> z, c10::complex<T> power) {
  auto w = ::cuda::std::pow(::cuda::std::complex<T>(z.real(), z.imag()),
                            ::cuda::std::complex<T>(power.real(), power.imag()));
  return c10::complex<T>(w.real(), w.imag());
}
#endif

// e^z - 1 = (e^x - 1) cos y + (cos y - 1) + i e^x sin y, without cancellation near 0.
template <typename T>
__device__ c10::complex<T> expm1(c10::complex<T> z) {
  const T half = std::sin(z.imag() / 2), x = std::expm1(z.real());
  return {x * std::cos(z.imag()) - 2 * half * half, (x + 1) * std::sin(z.imag())};
}

// log(1 + z), whose real part is log1p(2 x + x^2 + y^2) / 2 near 0.
template <typename T>
__device__ c10::complex<T> log1p(c10::complex<T> z) {
  const T x = z.real(), y = z.imag();
  if (std::abs(x) > T(0.5) || std::abs(y) > T(0.5)) return log(z + c10::complex<T>(1));
  return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
}

}  // namespace at::native::complex_math
