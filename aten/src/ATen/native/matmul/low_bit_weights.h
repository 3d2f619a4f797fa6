#pragma once
// Products with weights in 8 or 4 bits, by a kernel where there is one.

#include <optional>

#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/MayRead.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/matmul/matmul.h>
#include <ATen/ops/contiguous.h>

namespace at::native {

// The result of low_bit_product_stub. Empty where others see the calls of the composite form, or
// need its derivative, and for many rows of x, which are worth weights in float32.
inline std::optional<Tensor> low_bit_product(const Tensor& x, const Tensor& weight,
                                             const Tensor& scales, int64_t group) {
  constexpr int64_t kManyRows = 256;
  const auto fits = [](const Tensor& t) {
    return t.device().is_cpu() && is_plain(t) && !may_need_derivative(t) && t.numel() > 0;
  };
  if (x.size(0) >= kManyRows || !fits(x) || !fits(weight) || !fits(scales)) return {};
  Tensor out = empty_tensor({x.size(0), weight.size(0)}, x.scalar_type());
  low_bit_product_stub(x.device().type(), out, at::contiguous(x), at::contiguous(weight),
                       at::contiguous(scales), group);
  return out;
}

}  // namespace at::native
