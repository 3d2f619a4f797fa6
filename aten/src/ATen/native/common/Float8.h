#pragma once
// The 8-bit floating-point types that PyTorch computes with; Float8_e8m0fnu has no sign and holds
// powers of two, which are scales.

#include <ATen/native/common/TypeDispatch.h>

namespace at::native {

using SignedFloat8Types =
    TypeList<c10::Float8_e5m2, c10::Float8_e4m3fn, c10::Float8_e5m2fnuz, c10::Float8_e4m3fnuz>;
constexpr bool is_signed_float8(ScalarType t) {
  return isFloat8Type(t) && t != ScalarType::Float8_e8m0fnu;
}

}  // namespace at::native
