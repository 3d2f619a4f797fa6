#pragma once
// cummax and cummin on CUDA devices.

#include <ATen/core/Tensor.h>

namespace at::native {

void scan_extremes_cuda(bool max, const Tensor& in, const Tensor& out, const Tensor& indices,
                        int64_t dim);

}  // namespace at::native
