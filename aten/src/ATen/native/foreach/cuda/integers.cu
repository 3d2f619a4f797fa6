// Elementwise operators on lists of integers on CUDA devices, whose results are integers or floats.

#include <ATen/native/foreach/cuda/kernels.cuh>

namespace at::native::lists {

void compute_integers(const ForeachCall& call) {
  compute(call, [](ScalarType type, ScalarType result, const auto& f) {
    dispatch_types<TypeList<int32_t, int64_t>>(type, "foreach", [&]<typename T>(TypeTag<T> tag) {
      if (result == kFloat) f(tag, TypeTag<float>());
      else f(tag, tag);
    });
  });
}

}  // namespace at::native::lists
