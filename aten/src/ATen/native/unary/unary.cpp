// Shape and type rules of elementwise functions of one tensor, and operators written in terms of
// others.

#include <ATen/TensorOperators.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/ceil_native.h>
#include <ATen/ops/deg2rad_native.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/floor_native.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/isneginf_native.h>
#include <ATen/ops/isposinf_native.h>
#include <ATen/ops/isreal_native.h>
#include <ATen/ops/logical_not_native.h>
#include <ATen/ops/neg_native.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/positive_native.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rad2deg_native.h>
#include <ATen/ops/sign_native.h>
#include <ATen/ops/signbit_native.h>
#include <ATen/ops/square_native.h>
#include <ATen/ops/trunc_native.h>

namespace at {
namespace {

void refuse_complex(const char* op, const Tensor& self) {
  TORCH_CHECK(!self.is_complex(), op, " is not supported for complex tensors.");
}

// Integers are already whole: the kernel copies them.
void build_rounding(TensorIteratorBase& iter, const Tensor& self) {
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(), iter.op_name(),
                              " is not supported for complex inputs");
  iter.build_unary_op(self);
}

}  // namespace

namespace meta {

void neg(TensorIteratorBase& iter, const Tensor& self) {
  TORCH_CHECK(
      self.scalar_type() != kBool,
      "neg: Negation, the `-` operator, on a bool tensor is not supported. If you are trying "
      "to invert a mask, use the `~` or `logical_not()` operator instead.");
  iter.build_unary_op(self);
}
void sign(TensorIteratorBase& iter, const Tensor& self) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !self.is_complex(),
      "sign: Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
      "torch.sgn instead.");
  iter.build_unary_op(self);
}
void signbit(TensorIteratorBase& iter, const Tensor& self) {
  TORCH_CHECK_NOT_IMPLEMENTED(!self.is_complex(),
                              "signbit is not implemented for complex tensors.");
  iter.build_unary_force_boolean_op(self);
}
void floor(TensorIteratorBase& iter, const Tensor& self) { build_rounding(iter, self); }
void ceil(TensorIteratorBase& iter, const Tensor& self) { build_rounding(iter, self); }
void trunc(TensorIteratorBase& iter, const Tensor& self) { build_rounding(iter, self); }
void isposinf(TensorIteratorBase& iter, const Tensor& self) {
  TORCH_CHECK(!self.is_complex(), "isposinf does not support complex inputs.");
  iter.build_unary_force_boolean_op(self);
}
void isneginf(TensorIteratorBase& iter, const Tensor& self) {
  TORCH_CHECK(!self.is_complex(), "isneginf does not support complex inputs.");
  iter.build_unary_force_boolean_op(self);
}
void logical_not(TensorIteratorBase& iter, const Tensor& self) {
  iter.build_unary_op_to(self, kBool);
}
void deg2rad(TensorIteratorBase& iter, const Tensor& self) {
  refuse_complex("deg2rad", self);
  iter.build_unary_float_op(self);
}
void rad2deg(TensorIteratorBase& iter, const Tensor& self) {
  refuse_complex("rad2deg", self);
  iter.build_unary_float_op(self);
}

}  // namespace meta

namespace native {

Tensor positive(const Tensor& self) {
  TORCH_CHECK(self.scalar_type() != kBool,
              "positive: The `+` operator, on a bool tensor is not supported.");
  return self;
}

Tensor square(const Tensor& self) { return at::pow(self, Scalar(2)); }

Tensor isreal(const Tensor& self) {
  if (!self.is_complex()) return at::ones_like(self, TensorOptions(kBool));
  return at::eq(at::imag(self), Scalar(0));
}

}  // namespace native
}  // namespace at
