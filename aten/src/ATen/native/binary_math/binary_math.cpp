// Mathematical functions of two tensors: shape and type rules, and operators written in terms of
// others.

#include <cmath>

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/ops/fmax_native.h>
#include <ATen/ops/fmin_native.h>
#include <ATen/ops/heaviside_native.h>
#include <ATen/ops/ldexp_native.h>
#include <ATen/ops/maximum_native.h>
#include <ATen/ops/minimum_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/pow.h>

namespace at {
namespace {

void build_ordered(TensorIteratorBase& iter, const Tensor& self, const Tensor& other) {
  TORCH_CHECK(!self.is_complex() && !other.is_complex(), iter.op_name(),
              " not implemented for complex tensors.");
  iter.build_binary_op(self, other);
}

}  // namespace

namespace meta {

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
