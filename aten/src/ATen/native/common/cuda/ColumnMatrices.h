#pragma once
// Batches of matrices as cuBLAS and cuSOLVER take them: every matrix lies by columns, and the
// matrices are one distance apart.

#include <ATen/cuda/CublasApi.h>
#include <ATen/native/common/BatchedMatrices.h>

namespace at::native {

struct ColumnMatrices {
  // The tensor lies by columns already (as_column_matrices).
  explicit ColumnMatrices(const Tensor& t);

  void* operator[](int64_t i) const { return data + i * step * element; }
  // The whole batch as one matrix of many columns, if it lies like that.
  bool is_one_matrix() const { return count == 1 || step == ld * columns; }

  Tensor tensor;
  ScalarType type;
  Device device;
  char* data;
  int64_t rows, columns;
  int64_t ld, step;  // in elements; step is 0 if all matrices are the same one
  int64_t element;   // bytes
  int64_t count = 1;
};

// The tensor, or a copy if its matrices lie in another way.
Tensor as_column_matrices(const Tensor& t);

void copy_into(const Tensor& to, const Tensor& from);
void set_zero(const Tensor& t);

// The addresses of all matrices, in device memory: an int64 tensor.
Tensor addresses(const ColumnMatrices& matrices);
inline void** pointers(const Tensor& addresses) {
  return static_cast<void**>(addresses.data_ptr());
}

// The number of the type in tables of functions, and its number in NVIDIA's libraries.
int type_index(ScalarType dtype);
cuda::cublas::DataType vendor_type(ScalarType dtype);
// One, in any of the types.
const void* number_one(ScalarType dtype);
int vendor_int(int64_t value);

}  // namespace at::native
