// Splits numbers into mantissa and exponent on CUDA devices.

#include <cmath>

#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/frexp_native.h>
#include <ATen/native/common/cuda/TwoOutputs.cuh>

namespace at::native {
namespace {

template <typename T>
struct Split {
  __device__ Two<T, int32_t> operator()(T x) const {
    int exponent = 0;
    // C leaves the exponent of infinity and NaN open; here it is 0.
    const T mantissa = std::isfinite(x) ? std::frexp(x, &exponent) : x;
    return {mantissa, exponent};
  }
};

}  // namespace

static void frexp_kernel(const Tensor& self, const Tensor& mantissa, const Tensor& exponent) {
  auto iter = TensorIteratorConfig("frexp")
                  .add_output(mantissa)
                  .add_output(exponent)
                  .add_input(self)
                  .check_all_same_dtype(false)
                  .resize_outputs(false)
                  .build();
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "frexp_cuda", [&]<typename T>(TypeTag<T>) {
    gpu_kernel_with_two_outputs<TypeList<T, int32_t, T>>(iter, Split<opmath_type<T>>());
  });
}

REGISTER_CUDA_DISPATCH(frexp_stub, &frexp_kernel)

}  // namespace at::native
