// Complex numbers from their parts, or from absolute values and angles.

#include <ATen/native/common/cpu/ComplexLoops.h>
#include <ATen/native/common/cpu/Loops.h>
#include <ATen/native/common/cpu/VecMath.h>
#include <ATen/native/complex/complex.h>

namespace at::native {

static void complex_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingTypes, c10::Half>(iter.dtype(1), "complex", [&]<typename T>(TypeTag<T>) {
    cpu_kernel(iter, [](T re, T im) -> c10::complex<T> { return {re, im}; });
  });
}

static void polar_kernel(TensorIteratorBase& iter) {
  dispatch_types<FloatingTypes>(iter.dtype(1), "polar_cpu", [&]<typename T>(TypeTag<T>) {
    cpu_kernel_to_complex<T>(iter, [](Vec<T> abs, Vec<T> angle) -> ComplexVec<T> {
      return {abs * cos(angle), abs * sin(angle)};
    });
  });
}

REGISTER_DISPATCH(complex_stub, &complex_kernel)
REGISTER_DISPATCH(polar_stub, &polar_kernel)

}  // namespace at::native
