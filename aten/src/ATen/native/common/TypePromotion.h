#pragma once
// Type promotion between operands: tensors with dimensions rank above 0-dimensional tensors, and
// those above Python numbers. A lower rank matters only when it is of a higher kind (bool < int <
// float < complex).

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
  // What a Python number counts as: floats of the default type.
  static ScalarType number_type(ScalarType t);

  ScalarType dim_ = ScalarType::Undefined;
  ScalarType zero_ = ScalarType::Undefined;
  ScalarType wrapped_ = ScalarType::Undefined;
};

// One element from one type to another.
void convert_element(ScalarType from, const void* source, ScalarType to, void* destination);

}  // namespace at::native
