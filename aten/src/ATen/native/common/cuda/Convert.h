#pragma once
// Conversion of elements on CUDA devices.

#include <vector>

#include <ATen/native/common/TensorIterator.h>

namespace at::native {

// The first operand from the second one, of any two types and strides.
void convert_operands(TensorIteratorBase& iter);

// While it lives, the operands of an iterator have the types that a kernel reads and writes: those
// of another type are dense copies. finish() converts an output back.
class ConvertedOperands {
 public:
  ConvertedOperands(TensorIteratorBase& iter, ArrayRef<ScalarType> types);
  void finish();

 private:
  void convert(const OperandInfo& to, const OperandInfo& from);

  TensorIteratorBase& iter_;
  ArrayRef<ScalarType> types_;
  std::vector<Tensor> kept_;
  OperandInfo original_;
  int output_ = -1;
};

}  // namespace at::native
