// Shape and type rules of pow, and float_power.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/float_power_native.h>
#include <ATen/ops/full.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/pow_native.h>
#include <ATen/ops/to_native.h>

namespace at {

static ScalarType type_with(const Tensor& self, const Scalar& s) {
  native::ResultTypeState state;
  state.add(*self.unsafeGetTensorImpl());
  state.add(s);
  return state.result();
}

namespace meta {

void pow_Tensor_Scalar(TensorIteratorBase& iter, const Tensor& self, const Scalar& exponent) {
  TORCH_CHECK(!(isIntegralType(self.scalar_type(), true) && exponent.isIntegral(true) &&
                exponent.cast<int64_t>() < 0),
              "pow: Integers to negative integer powers are not allowed, got exponent ",
              exponent.str());
  iter.build_unary_op_to(self, type_with(self, exponent));
}

}  // namespace meta

namespace native {

Tensor pow(const Scalar& self, const Tensor& exponent) {
  ScalarType type = type_with(exponent, self);
  if (self.equal(1.0))
    return at::full(exponent.sizes(), 1, TensorOptions(type).device(exponent.device()));
  return at::pow(wrapped_scalar_tensor(self), exponent);
}

// The result has double precision for every input type.
static Tensor as_double(const Tensor& t, bool complex) {
  return at::native::to(t, complex ? kComplexDouble : kDouble, false, false, std::nullopt);
}
Tensor float_power(const Tensor& self, const Tensor& exponent) {
  bool complex = self.is_complex() || exponent.is_complex();
  return at::pow(as_double(self, complex), as_double(exponent, complex));
}
Tensor float_power(const Tensor& self, const Scalar& exponent) {
  bool complex = self.is_complex() || exponent.isComplex();
  Scalar power = complex ? Scalar(exponent.toComplexDouble()) : Scalar(exponent.toDouble());
  return at::pow(as_double(self, complex), power);
}
Tensor float_power(const Scalar& self, const Tensor& exponent) {
  bool complex = self.isComplex() || exponent.is_complex();
  Scalar base = complex ? Scalar(self.toComplexDouble()) : Scalar(self.toDouble());
  return at::pow(base, as_double(exponent, complex));
}

}  // namespace native
}  // namespace at
