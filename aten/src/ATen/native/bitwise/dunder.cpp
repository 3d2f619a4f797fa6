// The operators behind x &= y and its like.

#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/ops/__iand___native.h>
#include <ATen/ops/__ilshift___native.h>
#include <ATen/ops/__ior___native.h>
#include <ATen/ops/__irshift___native.h>
#include <ATen/ops/__ixor___native.h>
#include <ATen/ops/__lshift___ops.h>
#include <ATen/ops/__rshift___ops.h>
#include <ATen/ops/bitwise_and_ops.h>
#include <ATen/ops/bitwise_or_ops.h>
#include <ATen/ops/bitwise_xor_ops.h>
#include <ATen/ops/copy__ops.h>

namespace at::native {

Tensor& __iand__(Tensor& self, const Scalar& other) {
  return _ops::bitwise_and__Scalar::call(self, other);
}
Tensor& __iand__(Tensor& self, const Tensor& other) {
  return _ops::bitwise_and__Tensor::call(self, other);
}
Tensor& __ior__(Tensor& self, const Scalar& other) {
  return _ops::bitwise_or__Scalar::call(self, other);
}
Tensor& __ior__(Tensor& self, const Tensor& other) {
  return _ops::bitwise_or__Tensor::call(self, other);
}
Tensor& __ixor__(Tensor& self, const Scalar& other) {
  return _ops::bitwise_xor__Scalar::call(self, other);
}
Tensor& __ixor__(Tensor& self, const Tensor& other) {
  return _ops::bitwise_xor__Tensor::call(self, other);
}
Tensor& __ilshift__(Tensor& self, const Scalar& other) {
  return _ops::copy_::call(self, _ops::__lshift___Scalar::call(self, other), false);
}
Tensor& __ilshift__(Tensor& self, const Tensor& other) {
  return _ops::copy_::call(self, _ops::__lshift___Tensor::call(self, other), false);
}
Tensor& __irshift__(Tensor& self, const Scalar& other) {
  return _ops::copy_::call(self, _ops::__rshift___Scalar::call(self, other), false);
}
Tensor& __irshift__(Tensor& self, const Tensor& other) {
  return _ops::copy_::call(self, _ops::__rshift___Tensor::call(self, other), false);
}

}  // namespace at::native
