// Shapes, checks and layouts of batches of matrices.

#include <ATen/native/common/BatchedMatrices.h>

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/ops/_linalg_check_errors.h>
#include <ATen/ops/copy__ops.h>

namespace at::native {

void check_is_matrix(const Tensor& A, const char* op, const char* name) {
  TORCH_CHECK(A.dim() >= 2, op, ": The input tensor ", name,
              " must have at least 2 dimensions, got ", A.dim());
}

void check_square(const Tensor& A, const char* op, const char* name) {
  check_is_matrix(A, op, name);
  TORCH_CHECK(rows_of(A) == columns_of(A), op, ": ", name,
              " must be batches of square matrices, but they are ", rows_of(A), " by ",
              columns_of(A), " matrices");
}

void check_lapack_type(const Tensor& A, const char* op, bool allow_reduced) {
  const ScalarType t = A.scalar_type();
  TORCH_CHECK(isFloatingType(t) || isComplexType(t), op,
              ": Expected a floating point or complex tensor as input. Got ", toString(t));
  TORCH_CHECK(allow_reduced || elementSize(toRealValueType(t)) >= 4, op,
              ": Low precision dtypes not supported. Got ", toString(t));
}

void check_same_type(const Tensor& A, const Tensor& B, const char* op) {
  TORCH_CHECK(A.scalar_type() == B.scalar_type(), op,
              ": Expected A and B to have the same dtype, but found A of type ",
              toString(A.scalar_type()), " and B of type ", toString(B.scalar_type()));
  TORCH_CHECK(A.device() == B.device(), op, ": Expected A and B to be on the same device, got ",
              A.device(), " and ", B.device());
}

DimVector with_sizes(IntArrayRef batch, std::initializer_list<int64_t> sizes) {
  DimVector result(batch);
  for (int64_t n : sizes) result.push_back(n);
  return result;
}

DimVector broadcast_batches(IntArrayRef a, IntArrayRef b) {
  return DimVector(a == b ? a : IntArrayRef(infer_size(a, b)));
}

DimVector column_major_strides(IntArrayRef sizes) {
  DimVector strides = contiguous_strides(sizes);
  const size_t n = sizes.size();
  strides[n - 2] = 1;
  strides[n - 1] = std::max<int64_t>(sizes[n - 2], 1);
  return strides;
}

Tensor empty_by_columns(IntArrayRef sizes, ScalarType dtype, Device device) {
  return empty_strided_tensor(sizes, column_major_strides(sizes), dtype, device);
}

Tensor copy_by_columns(const Tensor& A) {
  Tensor result = empty_by_columns(A.sizes(), A.scalar_type(), A.device());
  _ops::copy_::call(result, A, false);
  return result;
}

void check_info(const Tensor& info, const char* op, bool is_matrix) {
  if (has_values(info)) at::_linalg_check_errors(info, op, is_matrix);
}

}  // namespace at::native
