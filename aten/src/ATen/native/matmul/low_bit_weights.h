#pragma once
// Whether a product with weights in 8 or 4 bits goes to low_bit_product_stub.

#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/MayRead.h>

namespace at::native {

// Not where others see the calls of the composite form, or need its derivative; many rows of x are
// worth weights in float32.
inline bool takes_low_bits(const Tensor& x, const Tensor& weight, const Tensor& scales) {
  constexpr int64_t kManyRows = 256;
  const auto fits = [](const Tensor& t) {
    return t.device().is_cpu() && is_plain(t) && !may_need_derivative(t) && t.numel() > 0;
  };
  return x.size(0) < kManyRows && fits(x) && fits(weight) && fits(scales);
}

}  // namespace at::native
