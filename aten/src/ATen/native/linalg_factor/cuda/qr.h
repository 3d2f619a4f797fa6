#pragma once
// Householder reflectors on CUDA devices.

#include <ATen/native/common/cuda/ColumnMatrices.h>

namespace at::native {

// tau is contiguous. The device is the current one.
void factor_qr_cuda(const ColumnMatrices& a, const Tensor& tau);
// C = Q C or C Q, or with Q^H.
void multiply_by_reflectors_cuda(const ColumnMatrices& reflectors, const Tensor& tau,
                                 const ColumnMatrices& c, bool left, bool transpose);

}  // namespace at::native
