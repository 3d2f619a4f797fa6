#pragma once
// Kernels of linear equations. Inputs may have any strides, and batches that are expanded; results
// come from empty_by_columns or copy_by_columns (BatchedMatrices.h). pivots and info are
// contiguous, of type int32.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

// The number of the first element that is not zero, and its value; -1 if there is none.
DECLARE_DISPATCH(void (*)(const Tensor& info, int64_t& index, int64_t& value), first_error_stub);

DECLARE_DISPATCH(void (*)(const Tensor& A, const Tensor& inverse, const Tensor& info),
                 inverse_stub);
// Determinants, contiguous, from LU factors.
DECLARE_DISPATCH(void (*)(const Tensor& LU, const Tensor& pivots, const Tensor& result), det_stub);
DECLARE_DISPATCH(void (*)(const Tensor& LU, const Tensor& pivots, const Tensor& sign,
                          const Tensor& logabsdet),
                 slogdet_stub);

struct TriangularOptions {
  bool left, upper, unit;
  bool transpose = false;
};
// Solves A X = B or X A = B; X holds B at first.
DECLARE_DISPATCH(void (*)(const Tensor& A, const Tensor& X, TriangularOptions options),
                 solve_triangular_stub);

enum class LstsqDriver : uint8_t { gels, gelsy, gelsd, gelss };
// The driver that the device takes where none is named; throws if it lacks the one that is.
DECLARE_DISPATCH(void (*)(LstsqDriver& driver, bool is_named), lstsq_driver_stub);
// A is overwritten; X holds B in its first rows, and gets solutions and residuals. Ranks and
// singular values are set where the driver has them.
DECLARE_DISPATCH(void (*)(const Tensor& A, const Tensor& X, const Tensor& rank,
                          const Tensor& singular_values, LstsqDriver driver, double rcond),
                 lstsq_stub);

}  // namespace at::native
