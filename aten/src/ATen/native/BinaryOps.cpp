// Shape and type rules of binary operators, and those that are written in terms of others.

#include <cmath>

#include <ATen/native/StructuredOutputs.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/native/TypePromotion.h>
#include <ATen/ops/add_native.h>
#include <ATen/ops/bitwise_and_native.h>
#include <ATen/ops/div_native.h>
#include <ATen/ops/fmax_native.h>
#include <ATen/ops/fmin_native.h>
#include <ATen/ops/heaviside_native.h>
#include <ATen/ops/ldexp_native.h>
#include <ATen/ops/maximum_native.h>
#include <ATen/ops/minimum_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsub_native.h>
#include <ATen/ops/sub_native.h>

namespace at {

namespace {

void check_alpha(const TensorIteratorBase& iter, const Scalar& alpha) {
  ScalarType type = iter.common_dtype();
  TORCH_CHECK(!alpha.isBoolean() || type == kBool, iter.op_name(),
              ": Boolean alpha only supported for Boolean results, which are ", toString(type),
              " here.");
  TORCH_CHECK(
      isFloatingType(type) || isComplexType(type) || alpha.isIntegral(true), iter.op_name(),
      ": For integral input tensors, argument alpha must not be a floating point number, got ",
      alpha.str());
  TORCH_CHECK(isComplexType(type) || !alpha.isComplex(), iter.op_name(),
              ": For non-complex input tensors, argument alpha must not be a complex number, got ",
              alpha.str());
}

void check_sub(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(self.scalar_type() != kBool || other.scalar_type() != kBool,
              "sub: Subtraction, the `-` operator, with two bool tensors is not supported. Use the "
              "`^` or `logical_xor()` operator instead.");
  TORCH_CHECK(self.scalar_type() != kBool && other.scalar_type() != kBool,
              "sub: Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
              "trying to invert a mask, "
              "use the `~` or `logical_not()` operator instead.");
}

void build_ordered(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  TORCH_CHECK(!self.is_complex() && !other.is_complex(), iter.op_name(),
              " not implemented for complex tensors.");
  iter.build_binary_op(self, other);
}

}  // namespace

namespace meta {

void add_Tensor(TensorIteratorBase& iter, const Tensor& self, const Tensor& other,
                const Scalar& alpha) {
  iter.build_binary_op(self, other);
  check_alpha(iter, alpha);
}

void sub_Tensor(TensorIteratorBase& iter, const Tensor& self, const Tensor& other,
                const Scalar& alpha) {
  check_sub(self, other);
  iter.build_binary_op(self, other);
  check_alpha(iter, alpha);
}

void rsub_Tensor(TensorIteratorBase& iter, const Tensor& self, const Tensor& other,
                 const Scalar& alpha) {
  sub_Tensor(iter, other, self, alpha);
}

void div_Tensor_mode(TensorIteratorBase& iter, const Tensor& self, const Tensor& other,
                     std::optional<std::string_view> mode) {
  if (!mode) return iter.build_binary_float_op(self, other);
  TORCH_CHECK(*mode == "trunc" || *mode == "floor",
              "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '",
              *mode, "'");
  iter.build_binary_op(self, other);
}

void maximum(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  build_ordered(iter, self, other);
}
void minimum(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  build_ordered(iter, self, other);
}
void fmax(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  build_ordered(iter, self, other);
}
void fmin(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  build_ordered(iter, self, other);
}

void heaviside(TensorIteratorBase& iter, const Tensor& self, const Tensor& values) {
  TORCH_CHECK(!self.is_complex() && !values.is_complex(),
              "heaviside is not yet implemented for complex tensors.");
  TORCH_CHECK(self.scalar_type() == values.scalar_type(),
              "heaviside is not yet implemented for tensors with different dtypes: self is ",
              toString(self.scalar_type()), ", values is ", toString(values.scalar_type()));
  iter.build_binary_op(self, values);
}

}  // namespace meta

namespace native {

Tensor ldexp(const Tensor& self, const Tensor& other) {
  return at::mul(self, at::pow(Scalar(2.0), other));
}

}  // namespace native
}  // namespace at
