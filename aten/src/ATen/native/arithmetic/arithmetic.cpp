// Shape and type rules of binary operators, and operators written in terms of others.

#include <cmath>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/ops/div_native.h>
#include <ATen/ops/sub_native.h>

namespace at {
namespace {

void check_alpha(const TensorIteratorBase& iter, const Scalar& alpha) {
  native::check_factor(iter.op_name(), "alpha", alpha, iter.common_dtype());
}

void check_sub(const Tensor& self, const Tensor& other) {
  TORCH_CHECK(self.scalar_type() != kBool || other.scalar_type() != kBool,
              "sub: Subtraction, the `-` operator, with two bool tensors is not supported. Use the "
              "`^` or `logical_xor()` operator instead.");
  TORCH_CHECK(self.scalar_type() != kBool && other.scalar_type() != kBool,
              "sub: Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
              "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
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
  if (!mode) return iter.build_binary_opmath_float_op(self, other);
  TORCH_CHECK(*mode == "trunc" || *mode == "floor",
              "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '",
              *mode, "'");
  iter.build_binary_opmath_op(self, other);
}

}  // namespace meta
}  // namespace at
