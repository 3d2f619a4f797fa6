// Splits numbers into mantissa and exponent.

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/frexp_native.h>

#include <cmath>
#include <cstring>
#include <type_traits>

namespace at::native {

namespace {

// std::frexp by the bits of the number; a call costs several times as much. Bits: the type's
// integer, Digits: stored bits of the mantissa, Bias: the exponent field of numbers from 0.5 to 1.
template <typename Bits, int Digits, int Bias, typename V>
V split_bits(V v, int32_t& exponent) {
  constexpr Bits top = (Bits(1) << (8 * sizeof(V) - 1 - Digits)) - 1;
  Bits bits;
  std::memcpy(&bits, &v, sizeof(v));
  const Bits field = bits >> Digits & top;
  // C leaves the exponent of infinity and NaN open; here it is 0.
  if (field == top) return v;
  if (field == 0) return std::frexp(v, &exponent);  // zero, or too small for the usual form
  exponent = static_cast<int32_t>(field) - Bias;
  bits = (bits & ~(top << Digits)) | Bits(Bias) << Digits;
  std::memcpy(&v, &bits, sizeof(v));
  return v;
}
float split(float v, int32_t& exponent) { return split_bits<uint32_t, 23, 126>(v, exponent); }
double split(double v, int32_t& exponent) { return split_bits<uint64_t, 52, 1022>(v, exponent); }

}  // namespace

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
        int32_t e = 0;
        to[i] = static_cast<T>(split(static_cast<Wide>(from[i]), e));
        to_power[i] = e;
      }
    });
  });
  if (!fraction.is_same(mantissa)) copy_to_output("frexp", const_cast<Tensor&>(mantissa), fraction);
  if (!power.is_same(exponent)) copy_to_output("frexp", const_cast<Tensor&>(exponent), power);
}
REGISTER_DISPATCH(frexp_stub, &frexp_kernel)

}  // namespace at::native
