#pragma once
// Products of 8-bit integers whose operands are dense rows.

#include <cstdint>

#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// out (m x n, dense) = x y' for m rows of x and n rows of y, of k numbers each.
struct Int8Rows {
  const void* x;  // int8, or uint8 unless is_signed
  bool is_signed;
  int64_t x_step;
  const int8_t* y;
  int64_t y_step;
  int32_t* out;
  int64_t m, n, k;
};
DECLARE_DISPATCH(void (*)(const Int8Rows&), int8_rows_stub);

}  // namespace at::native
