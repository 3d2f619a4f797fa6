#pragma once
// Whether matrices are finite: iterations for others may not end.

#include <ATen/native/common/cuda/ColumnMatrices.h>

namespace at::native {

enum class MatrixPart { all, lower, upper };
// The number of the first matrix with a value that is not finite, or -1. Waits for the device.
int64_t first_not_finite_cuda(const ColumnMatrices& a, MatrixPart part = MatrixPart::all);
// Throws torch.linalg.LinAlgError if there is one.
void check_finite_cuda(const ColumnMatrices& a, const char* op, MatrixPart part = MatrixPart::all);

}  // namespace at::native
