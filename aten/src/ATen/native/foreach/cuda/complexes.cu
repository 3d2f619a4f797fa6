// Elementwise operators on lists of complex numbers on CUDA devices. Their magnitudes are real.

#include <ATen/native/common/RealOf.h>
#include <ATen/native/foreach/cuda/kernels.cuh>

namespace at::native::lists {

void compute_complexes(const ForeachCall& call) {
  const bool real = call.op == ForeachOp::abs;
  compute(call, [&](ScalarType type, ScalarType, const auto& f) {
    dispatch_types<ComplexTypes>(type, "foreach", [&]<typename T>(TypeTag<T> tag) {
      if (real) f(tag, TypeTag<Real<T>>());
      else f(tag, tag);
    });
  });
}

}  // namespace at::native::lists
