// Splits numbers into mantissa and exponent.

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/frexp_native.h>

#include <cmath>
#include <type_traits>

namespace at::native {

static void frexp_kernel(const Tensor& self, const Tensor& mantissa, const Tensor& exponent) {
  Tensor in = at::contiguous(self);
  Tensor fraction =
      mantissa.is_contiguous() ? mantissa : empty_tensor(mantissa.sizes(), mantissa.scalar_type());
  Tensor power = exponent.is_contiguous() ? exponent : empty_tensor(exponent.sizes(), kInt);
  dispatch_types<FloatingAndReduced>(self.scalar_type(), "frexp_cpu", [&]<typename T>(TypeTag<T>) {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const T* from = static_cast<const T*>(in.data_ptr());
    T* to = static_cast<T*>(fraction.data_ptr());
    int32_t* to_power = static_cast<int32_t*>(power.data_ptr());
    parallel_for(0, in.numel(), kGrainSize / 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Wide v = static_cast<Wide>(from[i]);
        int e = 0;
        // C leaves the exponent of infinity and NaN open; here it is 0.
        to[i] = std::isfinite(v) ? static_cast<T>(std::frexp(v, &e)) : from[i];
        to_power[i] = e;
      }
    });
  });
  if (!fraction.is_same(mantissa)) copy_to_output("frexp", const_cast<Tensor&>(mantissa), fraction);
  if (!power.is_same(exponent)) copy_to_output("frexp", const_cast<Tensor&>(exponent), power);
}
REGISTER_DISPATCH(frexp_stub, &frexp_kernel)

}  // namespace at::native
