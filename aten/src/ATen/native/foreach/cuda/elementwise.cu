// Elementwise operators on lists of floats on CUDA devices, in few launches: see Note [Lists at
// once].

#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/foreach/cuda/kernels.cuh>

namespace at::native {

static void foreach_cuda(const ForeachCall& call) {
  const ScalarType type = call.self[0].scalar_type();
  if (isComplexType(type)) return lists::compute_complexes(call);
  if (isIntegralType(type)) return lists::compute_integers(call);
  lists::compute(call, [](ScalarType type, ScalarType, const auto& f) {
    dispatch_types<FloatingAndReduced>(type, "foreach",
                                       [&]<typename T>(TypeTag<T> tag) { f(tag, tag); });
  });
}
REGISTER_CUDA_DISPATCH(foreach_stub, &foreach_cuda)

}  // namespace at::native
