// Complex numbers from their parts, or from absolute values and angles, on CUDA devices.

#include <cmath>

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/complex/complex.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

template <typename T>
struct FromParts {
  __device__ c10::complex<T> operator()(T re, T im) const { return {re, im}; }
};
template <typename T>
struct FromPolar {
  __device__ c10::complex<T> operator()(T abs, T angle) const {
    return {abs * std::cos(angle), abs * std::sin(angle)};
  }
};

}  // namespace

static void complex_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingTypes, c10::Half>(
      iter.dtype(1), "complex", [&]<typename T>(TypeTag<T>) { gpu_kernel(iter, FromParts<T>()); });
}

static void polar_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingTypes>(iter.dtype(1), "polar",
                                [&]<typename T>(TypeTag<T>) { gpu_kernel(iter, FromPolar<T>()); });
}

REGISTER_CUDA_DISPATCH(complex_stub, &complex_kernel)
REGISTER_CUDA_DISPATCH(polar_stub, &polar_kernel)

}  // namespace at::native
