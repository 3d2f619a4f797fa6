#pragma once
// Batches of matrices, tensors of shape (..., rows, columns): checks of arguments, and the layout
// that LAPACK has, in which every matrix lies column by column.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>

namespace at::native {

// Throws unless the tensor has at least two dimensions.
void check_is_matrix(const Tensor& A, const char* op, const char* name = "A");
// Throws unless the last two dimensions are equal.
void check_square(const Tensor& A, const char* op, const char* name = "A");
// Throws for integers, bools and types below 32 bits.
void check_lapack_type(const Tensor& A, const char* op, bool allow_reduced = false);
void check_same_type(const Tensor& A, const Tensor& B, const char* op);

// The sizes without the last two dimensions.
inline IntArrayRef batch_sizes(const Tensor& A) { return A.sizes().slice(0, A.dim() - 2); }
inline int64_t rows_of(const Tensor& A) { return A.sizes()[A.dim() - 2]; }
inline int64_t columns_of(const Tensor& A) { return A.sizes()[A.dim() - 1]; }

DimVector with_sizes(IntArrayRef batch, std::initializer_list<int64_t> sizes);
// The common shape of two batches, without their matrices; throws if they do not broadcast.
DimVector broadcast_batches(IntArrayRef a, IntArrayRef b);
DimVector column_major_strides(IntArrayRef sizes);

// New, uninitialized matrices that lie column by column.
Tensor empty_by_columns(IntArrayRef sizes, ScalarType dtype, Device device);
// A copy of these matrices that lies column by column.
Tensor copy_by_columns(const Tensor& A);

// Throws torch.linalg.LinAlgError if `info`, of type int32, is not zero for some matrix. Does
// nothing on the meta device.
void check_info(const Tensor& info, const char* op, bool is_matrix);

}  // namespace at::native
