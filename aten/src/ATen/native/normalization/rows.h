#pragma once
// Normalizations over the last dimensions see their input as rows.

#include <ATen/core/Tensor.h>

namespace at::native {

struct Rows {
  int64_t rows = 1, n = 1;
  DimVector stats;  // sizes of mean and rstd
};
// Checks that `shape` is that of the last dimensions, and of the parameters that are defined.
Rows check_layer_norm(const char* op, const Tensor& input, IntArrayRef shape, const Tensor& weight,
                      const Tensor& bias);

}  // namespace at::native
