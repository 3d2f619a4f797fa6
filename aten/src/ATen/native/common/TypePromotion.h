#pragma once
// Type promotion between operands: tensors with dimensions take precedence over 0-dimensional
// tensors, and those over Python numbers. A lower rank matters only if it is of a higher kind (bool
// < int < float < complex).

#include <ATen/core/Tensor.h>

namespace at::native {

class ResultTypeState {
 public:
  void add(const TensorImpl& t);
  void add(const Scalar& s) { wrapped_ = promote(wrapped_, number_type(s.type())); }
  ScalarType result() const { return combine(dim_, combine(zero_, wrapped_)); }

 private:
  static ScalarType promote(ScalarType a, ScalarType b);
  static ScalarType combine(ScalarType higher, ScalarType lower);
  // The type of a Python number: floats have the default type.
  static ScalarType number_type(ScalarType t);

  ScalarType dim_ = ScalarType::Undefined;
  ScalarType zero_ = ScalarType::Undefined;
  ScalarType wrapped_ = ScalarType::Undefined;
};

// Throws if a result of this type cannot have the number as a factor: a bool of a number, a
// fraction of an integer, a complex multiple of a real. `name` is the argument's.
void check_factor(const char* op, const char* name, const Scalar& factor, ScalarType result);

// The element at an address.
Scalar read_element(ScalarType dtype, const void* element);
// Converts one element from one type to another.
void convert_element(ScalarType from, const void* source, ScalarType to, void* destination);

}  // namespace at::native
